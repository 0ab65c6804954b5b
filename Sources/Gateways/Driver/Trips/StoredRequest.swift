import Model
import Support

/// What the store holds of a trip that has no driver: one hash, `request:{trip}`.
///
/// `driver-gateway` writes it, and `rider-gateway` answers with it as long as the store has no hash of the trip.
package struct StoredRequest: Sendable, Equatable {
    /// What becomes of an event.
    package enum Change: Sendable, Equatable {
        /// It is to be written in place of what is held.
        case write(StoredRequest)
        /// It says what is held already.
        case repeated
        /// It is older than what is held, or the request has ended: it changes nothing.
        case outdated
    }

    package var state: TripState
    package var changedAt: Timestamp?
    package var version: Int64?
    /// A JSON object; `nil` for none.
    package var factsJSON: String?
    /// When `driver-gateway` took the last change in; of two changes never the same.
    package var updatedAt: Timestamp

    package init(
        state: TripState, changedAt: Timestamp? = nil, version: Int64? = nil, factsJSON: String? = nil,
        updatedAt: Timestamp
    ) {
        self.state = state
        self.changedAt = changedAt
        self.version = version
        self.factsJSON = factsJSON
        self.updatedAt = updatedAt
    }

    /// The key of a trip's request.
    package static func key(prefix: String, trip: String) -> String { "\(prefix)request:\(trip)" }

    /// What becomes of `event` at `now`, where `held` is held; `nil` for nothing.
    ///
    /// By version where both have one, and otherwise by time where both have one; without either, the event that comes
    /// later is the newer one. Of one version there is one event, as in `trips`. A cancelled request stays cancelled.
    /// What an event leaves out stays as it is held.
    package static func change(of held: StoredRequest?, by event: TripRequest, at now: Timestamp) -> Change {
        guard let held else {
            return .write(
                StoredRequest(
                    state: event.state, changedAt: event.changedAt, version: event.version,
                    factsJSON: event.factsJSON, updatedAt: now))
        }
        var next = held
        next.state = event.state
        next.changedAt = event.changedAt ?? held.changedAt
        next.version = event.version ?? held.version
        next.factsJSON = event.factsJSON ?? held.factsJSON
        let isOfSameVersion = event.version != nil && event.version == held.version && event.state == held.state
        if isOfSameVersion || next == held { return .repeated }
        guard !held.isNewer(than: event) else { return .outdated }
        next.updatedAt = max(now, Timestamp(milliseconds: held.updatedAt.milliseconds + 1))
        return .write(next)
    }

    private func isNewer(than event: TripRequest) -> Bool {
        let rejection = TripRejection.judge(
            from: state, version: version, to: event.state, version: event.version)
        if rejection != nil { return true }
        // Judged above.
        if version != nil, event.version != nil { return false }
        guard let changedAt, let other = event.changedAt else { return false }
        return other < changedAt
    }
}

/// The hash.
extension StoredRequest {
    /// The fields and their values, all of which are written each time; an unknown value is an empty text.
    package var fields: [(name: StaticString, value: String)] {
        [
            ("state", "\(state.code)"), ("updated_at", String(updatedAt.milliseconds)),
            ("changed_at", changedAt.map { String($0.milliseconds) } ?? ""),
            ("version", version.map(String.init) ?? ""), ("facts", factsJSON ?? ""),
        ]
    }

    /// Reads the hash; `nil` where there is none.
    package init?(fields: [String: String]) {
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
