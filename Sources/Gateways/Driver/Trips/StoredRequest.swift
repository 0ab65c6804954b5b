import Domain
import Support

/// Event of a trip without a driver: the trip was requested, or the request was cancelled.
struct TripRequest: Sendable, Equatable {
    var tripID: String
    /// `requested` or `cancelled`.
    var state: TripState
    /// Time at which the state began; `nil` if not sent.
    var changedAt: Timestamp?
    /// Increases with each change of the trip; `nil` if not sent.
    var version: Int64?
    /// Facts to show with the trip, a JSON object; `nil` if absent.
    var factsJSON: String?
    /// Originator: `DRIVER`, `RIDER`, `SYSTEM`, …; `nil` if not sent.
    var triggeredBy: String?
    /// Index of the event in the batch that the trip service sent.
    var index = 0
}

extension TripRequest {
    /// Creates the request of a message; `nil` if the message needs a driver.
    init?(_ message: TripMessage, index: Int) {
        guard !message.isDriverStatus, message.state == .requested || message.state == .cancelled else { return nil }
        self.init(
            tripID: message.tripID, state: message.state, changedAt: message.changedAt, version: message.version,
            factsJSON: message.factsJSON, triggeredBy: message.triggeredBy, index: index)
    }
}

/// Stored state of a trip without a driver: the Redis hash `request:{trip}`.
///
/// Written by `driver-gateway`; returned by `rider-gateway` while Redis has no hash `trip:{trip}`.
struct StoredRequest: Sendable, Equatable {
    enum Change: Sendable, Equatable {
        case write(StoredRequest)
        /// The event repeats the stored state.
        case repeated
        /// The event is older than the stored state, or the request has ended.
        case outdated
    }

    var state: TripState
    var changedAt: Timestamp?
    var version: Int64?
    var factsJSON: String?
    /// Time of the last change in `driver-gateway`; strictly increasing.
    var updatedAt: Timestamp

    static func key(prefix: String, trip: String) -> String { "\(prefix)request:\(trip)" }

    /// Returns the effect of `event` on the stored request; `stored` is `nil` if no request is stored.
    ///
    /// Compares event and request by version if both have a version, else by time if both have a time; without either,
    /// the event counts as newer. There is one event per version, as in `trips`. A cancelled request stays cancelled.
    /// Fields that the event omits keep their value.
    static func change(of stored: StoredRequest?, by event: TripRequest, at now: Timestamp) -> Change {
        guard let stored else {
            return .write(
                StoredRequest(
                    state: event.state, changedAt: event.changedAt, version: event.version,
                    factsJSON: event.factsJSON, updatedAt: now))
        }
        var next = stored
        next.state = event.state
        next.changedAt = event.changedAt ?? stored.changedAt
        next.version = event.version ?? stored.version
        next.factsJSON = event.factsJSON ?? stored.factsJSON
        let isOfSameVersion = event.version != nil && event.version == stored.version && event.state == stored.state
        if isOfSameVersion || next == stored { return .repeated }
        guard !stored.rejects(event) else { return .outdated }
        next.updatedAt = max(now, Timestamp(milliseconds: stored.updatedAt.milliseconds + 1))
        return .write(next)
    }

    private func rejects(_ event: TripRequest) -> Bool {
        let rejection = TripRejection.evaluate(
            from: state, version: version, to: event.state, version: event.version)
        if rejection != nil { return true }
        // The versions were compared above.
        if version != nil, event.version != nil { return false }
        guard let changedAt, let other = event.changedAt else { return false }
        return other < changedAt
    }
}

extension StoredRequest {
    /// Fields and values of the hash; all are written each time, and unknown values are empty.
    var fields: [(name: StaticString, value: String)] {
        [
            ("state", "\(state.code)"), ("updated_at", String(updatedAt.milliseconds)),
            ("changed_at", changedAt.map { String($0.milliseconds) } ?? ""),
            ("version", version.map(String.init) ?? ""), ("facts", factsJSON ?? ""),
        ]
    }

    /// Reads the hash; `nil` if it is empty or invalid.
    init?(fields: [String: String]) {
        let state = ByteSlice.withBytes(of: fields["state"] ?? "") { TripState.find(wire: $0)?.state }
        guard let state, let updatedAt = fields["updated_at"].flatMap({ Int64($0) }) else { return nil }
        let facts = fields["facts"] ?? ""
        self.init(
            state: state,
            changedAt: fields["changed_at"].flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) },
            version: fields["version"].flatMap { Int64($0) }, factsJSON: facts.isEmpty ? nil : facts,
            updatedAt: Timestamp(milliseconds: updatedAt))
    }
}
