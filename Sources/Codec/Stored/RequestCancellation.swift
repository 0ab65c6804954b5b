/// The end of a request that has no driver, as `driver-gateway` passes it to `push-worker`.
///
/// The entries are in one stream of Redis. An entry's id is the event's id.
package struct RequestCancellation: Sendable, Equatable {
    package var tripID: String
    /// `RIDER`, `SYSTEM`, …; `nil` where the trip service does not say.
    package var triggeredBy: String?

    package init(tripID: String, triggeredBy: String?) {
        self.tripID = tripID
        self.triggeredBy = triggeredBy
    }

    /// The key of the stream.
    package static func key(prefix: String) -> String { "\(prefix)requests:cancelled" }

    /// Entries that the stream keeps, about.
    package static let streamLength = 10_000

    /// The fields of an entry and their values.
    package var fields: [(name: StaticString, value: String)] {
        [("trip_id", tripID), ("triggered_by", triggeredBy ?? "")]
    }

    /// Reads the fields of an entry; `nil` where they name no trip.
    package init?(fields: [String: String]) {
        guard let trip = fields["trip_id"], !trip.isEmpty else { return nil }
        let cause = fields["triggered_by"] ?? ""
        self.init(tripID: trip, triggeredBy: cause.isEmpty ? nil : cause)
    }
}
