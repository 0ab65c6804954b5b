/// Matched windows by the fields that the hosts send.
struct FieldWindows: Sendable {
    /// Of hosts that send speed and heading.
    var complete = MatchedWindows()
    /// Of those that send one of them or neither.
    var others = MatchedWindows()

    var all: MatchedWindows { complete + others }

    mutating func add(_ other: FieldWindows) {
        complete.add(other.complete)
        others.add(other.others)
    }
}
