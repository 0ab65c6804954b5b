import Lanes

/// A lane's clock as Redis keeps it under `lane:{topic}:{lane}`: `184468 3-184467 t3-512`.
///
/// The next offset to read, then the last event written of each origin, `-` before the first.
struct StoredClock: Equatable {
    var next: Int64
    var events: LaneClock

    /// The clock of a lane that was never written.
    static let start = StoredClock(next: 0, events: LaneClock())

    init(next: Int64, events: LaneClock) {
        self.next = next
        self.events = events
    }

    /// Reads the stored text; `nil` when it is something else.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let next = Int64(words[0]), next >= 0, let events = LaneClock(text: words[1]) else {
            return nil
        }
        self.init(next: next, events: events)
    }

    var text: String { "\(next) \(events.text)" }
}
