import Support

/// The clock of one partition: the newest record timestamp seen, and the punctuations that have become due by it.
///
/// Because punctuations fall on multiples of the interval of stream time and fire before the record that passes them, a
/// replayed log punctuates where the live one did, at any speed.
package struct PunctuationClock: Sendable {
    /// The newest timestamp of the partition; `nil` before its first record.
    package private(set) var newest: Timestamp?
    private let interval: Int64?
    private var lastPunctuation: Int64?

    package init(punctuationIntervalMilliseconds: Int64?) {
        precondition(
            punctuationIntervalMilliseconds.map { $0 > 0 } ?? true, "A punctuation interval is not longer than zero.")
        interval = punctuationIntervalMilliseconds
    }

    /// Moves stream time to `timestamp` if that is later, without punctuating (restored and silent time).
    package mutating func advance(to timestamp: Timestamp) {
        newest = max(newest ?? timestamp, timestamp)
        if let interval, lastPunctuation == nil { lastPunctuation = timestamp.milliseconds / interval }
    }

    /// The next punctuation due at or before `now`, or `nil`; call until `nil`.
    ///
    /// After a long silence the punctuations missed are not made up one by one: the last eight are.
    package mutating func nextPunctuation(upTo now: Timestamp) -> Timestamp? {
        guard let interval, let last = lastPunctuation else { return nil }
        let current = now.milliseconds / interval
        guard current > last else { return nil }
        let next = max(last + 1, current - 7)
        lastPunctuation = next
        return Timestamp(milliseconds: next * interval)
    }
}
