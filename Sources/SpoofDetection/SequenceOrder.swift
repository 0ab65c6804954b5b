/// Where a fix stands among those of its driver.
enum SequenceOrder: Equatable {
    /// Newer than all before; `lostFixes` sequence numbers were skipped.
    case inOrder(lostFixes: Int)
    /// Older than the newest, and not seen before.
    case late
    /// Seen before, with the same content as far as is known.
    case duplicate
    /// Its sequence number was used before, for other content.
    case replayed
}
