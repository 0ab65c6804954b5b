/// Why a trip message was rejected and written to the dead-letter topic.
package enum TripRejection: UInt8, Sendable, CaseIterable {
    /// The transition is not one of ``TripState/allowedTransitions``.
    case invalidTransition
    /// The version is older than the current one, or equal with another state; or a newer trip replaced the message's.
    case staleVersion
    case tripAlreadyCancelled
    /// A status from the driver's app for a trip that the trip service has not sent.
    case tripNotFound

    /// The trip state that a message conflicts with.
    package struct CurrentTrip: Sendable, Equatable {
        package var tripID: String
        package var state: TripState
        package var version: Int64?
    }

    package static let codes: [StaticString] = [
        "INVALID_TRANSITION", "STALE_VERSION", "TRIP_ALREADY_CANCELLED", "TRIP_NOT_FOUND",
    ]
    package var code: StaticString { Self.codes[Int(rawValue)] }

    /// Describes the error, as in `REQUESTED → COMPLETED is not allowed; expected ACCEPTED or CANCELLED`.
    package func text(of message: TripMessage, current held: CurrentTrip?) -> String {
        switch (self, held) {
        case (.invalidTransition, let held?), (.tripAlreadyCancelled, let held?):
            let expected = held.state.allowedTransitions.map { "\($0.code)" }.joined(separator: " or ")
            return "\(held.state.code) → \(message.state.code) is not allowed; "
                + (expected.isEmpty ? "the trip has ended" : "expected \(expected)")
        case (.staleVersion, let held?): return staleVersion(message, held)
        case (.tripNotFound, _):
            return
                "The trip \(message.tripID) is unknown; expected the trip service's message before the driver's status"
        case (_, nil): return "\(message.state.code) is not allowed for the trip \(message.tripID)"
        }
    }

    private func staleVersion(_ message: TripMessage, _ held: CurrentTrip) -> String {
        if held.tripID != message.tripID {
            return "The trip \(message.tripID) changed before the trip \(held.tripID), which replaced it"
        }
        guard let version = message.version, let heldVersion = held.version else {
            return "\(message.state.code) is older than \(held.state.code)"
        }
        if version == heldVersion {
            return "version \(version) is \(held.state.code) already, not \(message.state.code); expected a later "
                + "version"
        }
        return "version \(version) is older than version \(heldVersion); expected version \(heldVersion) or later"
    }

    /// Returns why a transition of one trip is rejected; `nil` if it is allowed.
    ///
    /// The version is checked first, because an older message that arrives late is not an invalid transition. If either
    /// side has no version, only the states are compared. The same state, if it is not final, is an update of the plan.
    package static func evaluate(
        from held: TripState, version heldVersion: Int64?, to next: TripState, version nextVersion: Int64?
    ) -> TripRejection? {
        if let heldVersion, let nextVersion {
            if nextVersion < heldVersion { return .staleVersion }
            if nextVersion == heldVersion, next != held { return .staleVersion }
        }
        if held == .cancelled { return .tripAlreadyCancelled }
        if held == .completed { return .invalidTransition }
        return next == held || held.canMove(to: next) ? nil : .invalidTransition
    }
}
