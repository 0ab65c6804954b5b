/// Where the changelog of a partition ends, as far as its worker knows, and how that is committed beside the offsets of
/// the inputs.
///
/// A changelog that ends before that has lost records that were acknowledged: an unclean leader election truncates a
/// partition. The group's offset says that their inputs are done, and must not be believed then.
enum ChangelogEnd {
    private static let prefix = "changelog-end="

    /// What is committed beside an offset.
    static func metadata(_ end: Int64) -> String { prefix + String(end) }

    /// Reads ``metadata(_:)``; `nil` for what others have committed.
    static func read(_ metadata: String) -> Int64? {
        guard metadata.hasPrefix(prefix) else { return nil }
        return Int64(metadata.dropFirst(prefix.count))
    }
}
