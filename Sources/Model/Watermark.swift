/// How far a partition has come: the last event seen of each origin.
///
/// A record that does not advance the clock was seen before (a redelivery, or an append by a process that no longer
/// holds the partition) and is dropped: duplicate removal in constant time, without remembering ids.
package struct Watermark: Hashable, Sendable {
    package private(set) var raw: EventID?
    package private(set) var trips: EventID?

    package init(raw: EventID? = nil, trips: EventID? = nil) {
        self.raw = raw
        self.trips = trips
    }

    /// The last event seen of `origin`; `nil` before the first.
    package func last(of origin: EventID.Origin) -> EventID? {
        switch origin {
        case .raw: raw
        case .trips: trips
        }
    }

    /// Moves the clock to `event` if that lies ahead.
    /// - Returns: `false`, and no change, when the event is not after the last one of its origin.
    @discardableResult
    package mutating func advance(to event: EventID) -> Bool {
        switch event.origin {
        case .raw:
            if let raw, !event.isAfter(raw) { return false }
            raw = event
        case .trips:
            if let trips, !event.isAfter(trips) { return false }
            trips = event
        }
        return true
    }
}
