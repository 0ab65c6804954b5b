/// What is counted, for messages: "1 fix", "2 fixes".
struct Noun {
    let singular: String
    let plural: String

    init(_ singular: String, _ plural: String? = nil) {
        self.singular = singular
        self.plural = plural ?? singular + "s"
    }

    static let fix = Noun("fix", "fixes")
    static let position = Noun("position")
    static let driver = Noun("driver")
    static let record = Noun("record")
    static let row = Noun("row")
    static let stop = Noun("stop")

    /// The count with the word that fits it.
    func count(_ count: some BinaryInteger) -> String { "\(count) \(count == 1 ? singular : plural)" }
}
