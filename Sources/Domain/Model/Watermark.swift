/// Progress of a partition: the newest processed event of each source topic.
///
/// A record that does not advance the watermark is a duplicate: redelivered, or appended by a former partition owner.
package struct Watermark: Hashable, Sendable {
    package private(set) var raw: EventID?
    package private(set) var trips: EventID?

    package init(raw: EventID? = nil, trips: EventID? = nil) {
        self.raw = raw
        self.trips = trips
    }

    /// Parses `3-184467 t3-512`, the newest event of each origin, `-` for none; `nil` if malformed.
    package init?(text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2 else { return nil }
        self.init()
        for (word, origin) in zip(words, [EventID.Origin.raw, .trips]) where word != "-" {
            guard let event = EventID(word), event.origin == origin, advance(to: event) else { return nil }
        }
    }

    package var text: String { "\(raw?.description ?? "-") \(trips?.description ?? "-")" }

    /// Returns the newest event of `origin`; `nil` before the first event.
    package func last(of origin: EventID.Origin) -> EventID? {
        switch origin {
        case .raw: raw
        case .trips: trips
        }
    }

    /// Advances to `event`; returns `false`, without a change, if the last event of its origin is not older.
    @discardableResult package mutating func advance(to event: EventID) -> Bool {
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
