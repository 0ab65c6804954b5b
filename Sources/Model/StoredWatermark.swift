/// A partition's clock as Redis keeps it under `progress:{topic}:{partition}`: `184468 3-184467 t3-512`.
///
/// The next offset to read, then the last event written of each origin, `-` before the first.
package struct StoredWatermark: Equatable, Sendable {
    package var next: Int64
    package var events: Watermark

    /// The clock of a partition that was never written.
    package static let start = StoredWatermark(next: 0, events: Watermark())

    package init(next: Int64, events: Watermark) {
        self.next = next
        self.events = events
    }

    /// Reads the stored text; `nil` when it is something else.
    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let next = Int64(words[0]), next >= 0, let events = Watermark(text: words[1])
        else {
            return nil
        }
        self.init(next: next, events: events)
    }

    package var text: String { "\(next) \(events.text)" }
}
