/// Cancellation of a trip request without a driver, which `driver-gateway` sends to `push-worker` in a Redis stream.
package struct RequestCancellation: Sendable, Equatable {
    package var tripID: String
    /// Sender `RIDER`, `SYSTEM`, …; `nil` if the trip service does not report it.
    package var triggeredBy: String?

    package init(tripID: String, triggeredBy: String?) {
        self.tripID = tripID
        self.triggeredBy = triggeredBy
    }

    package static func key(prefix: String) -> String { "\(prefix)requests:cancelled" }

    /// Approximate maximum number of entries in the stream.
    package static let streamLength = 10_000

    /// The fields of an entry and their values.
    package var fields: [(name: StaticString, value: String)] {
        [("trip_id", tripID), ("triggered_by", triggeredBy ?? "")]
    }

    /// Reads the fields of an entry; `nil` if the trip id is missing.
    package init?(fields: [String: String]) {
        guard let trip = fields["trip_id"], !trip.isEmpty else { return nil }
        let cause = fields["triggered_by"] ?? ""
        self.init(tripID: trip, triggeredBy: cause.isEmpty ? nil : cause)
    }
}
