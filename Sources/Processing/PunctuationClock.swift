import Support

/// Stream time of one partition, and its due punctuations.
///
/// Punctuations are at multiples of the interval and fire before the first record at or after them, also in a replay.
package struct PunctuationClock: Sendable {
    /// The newest record timestamp of the partition; `nil` before its first record.
    package private(set) var newest: Timestamp?
    private let interval: Int64?
    private var lastPunctuation: Int64?

    package init(punctuationIntervalMilliseconds: Int64?) {
        precondition(
            punctuationIntervalMilliseconds.map { $0 > 0 } ?? true, "The punctuation interval must be positive.")
        interval = punctuationIntervalMilliseconds
    }

    /// Advances stream time to `timestamp`, if that is later, without punctuating.
    package mutating func advance(to timestamp: Timestamp) {
        newest = max(newest ?? timestamp, timestamp)
        if let interval, lastPunctuation == nil { lastPunctuation = timestamp.milliseconds / interval }
    }

    /// Returns the next due punctuation up to `now`, or `nil`; after a gap, only the last eight are due.
    package mutating func nextPunctuation(upTo now: Timestamp) -> Timestamp? {
        guard let interval, let last = lastPunctuation else { return nil }
        let current = now.milliseconds / interval
        guard current > last else { return nil }
        let next = max(last + 1, current - 7)
        lastPunctuation = next
        return Timestamp(milliseconds: next * interval)
    }
}
