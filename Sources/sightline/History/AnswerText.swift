import Codec
import Support

/// What is said of an answer beside its rows.
struct AnswerText {
    /// What a row is.
    var row = Noun.row
    /// Said instead of rows where there are none.
    var nothing = "Nothing was found."

    /// An id from the command line inside a message, whatever it holds.
    static func id(_ id: String) -> String {
        ByteSlice.withBytes(of: id) { Identifier.isValid($0) } ? id : "this id"
    }
}
