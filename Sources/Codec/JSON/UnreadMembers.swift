import CSimdJSON
import Support

/// The members of one object as the JSON text that stands there: slices of the object's own bytes.
///
/// Valid until the parser's next read.
struct UnreadMembers {
    private let fields: JSONFields
    private let object: ByteSlice
    /// Where the parser's copy of the object begins.
    private let copy: UnsafeRawPointer

    init(_ value: JSONValue, of object: ByteSlice, copy: UnsafeRawPointer, in slots: JSONSlots) {
        fields = JSONFields(value, in: slots)
        self.object = object
        self.copy = copy
    }

    /// The JSON of a member; `nil` where it is absent or null.
    subscript(key: sl_key) -> ByteSlice? {
        guard let text = fields[key]?.keptText, let place = text.start else { return nil }
        return ByteSlice(start: object.start.map { $0 + (place - copy) }, count: text.count)
    }

    /// What stands between the quotes of a text, with its escapes; `nil` where it is no text, or an empty one.
    func text(_ key: sl_key) -> ByteSlice? {
        guard let json = self[key], json.count > 2, json[0] == UInt8(ascii: "\"") else { return nil }
        return ByteSlice(start: json.start.map { $0 + 1 }, count: json.count - 2)
    }
}
