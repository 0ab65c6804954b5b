import Tracking

/// The clock of one lane: the newest record timestamp seen, and the ticks that have become due by it.
///
/// Because ticks fall on multiples of the interval of lane time and fire before the record that passes them, a
/// replayed log ticks where the live one did, at any speed.
package struct LaneTime: Sendable {
    /// The newest timestamp of the lane; `nil` before its first record.
    package private(set) var newest: Timestamp?
    private let interval: Int64?
    private var lastTick: Int64?

    package init(tickIntervalMilliseconds: Int64?) {
        precondition(tickIntervalMilliseconds.map { $0 > 0 } ?? true, "A tick interval is longer than nothing.")
        interval = tickIntervalMilliseconds
    }

    /// Moves lane time to `timestamp` if that is later, without ticking (restored and silent time).
    package mutating func advance(to timestamp: Timestamp) {
        newest = max(newest ?? timestamp, timestamp)
        if let interval, lastTick == nil { lastTick = timestamp.milliseconds / interval }
    }

    /// The next tick due at or before `now`, or `nil`; call until `nil`.
    ///
    /// After a long silence the ticks missed are not made up one by one: the last eight are.
    package mutating func nextTick(upTo now: Timestamp) -> Timestamp? {
        guard let interval, let last = lastTick else { return nil }
        let current = now.milliseconds / interval
        guard current > last else { return nil }
        let next = max(last + 1, current - 7)
        lastTick = next
        return Timestamp(milliseconds: next * interval)
    }
}
