/// Reason for which a trip message was rejected and written to the dead-letter topic.
package enum TripRejection: UInt8, Sendable, CaseIterable {
    /// The transition is not one of ``TripState/allowedTransitions``.
    case invalidTransition
    /// The version is older than the current one, or equal with another state, or a newer trip replaced it.
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
    package func text(of message: TripMessage, current stored: CurrentTrip?) -> String {
        switch (self, stored) {
        case (.invalidTransition, let stored?), (.tripAlreadyCancelled, let stored?):
            let expected = stored.state.allowedTransitions.map { "\($0.code)" }.joined(separator: " or ")
            return "\(stored.state.code) → \(message.state.code) is not allowed; "
                + (expected.isEmpty ? "the trip has ended" : "expected \(expected)")
        case (.staleVersion, let stored?): return staleVersion(message, stored)
        case (.tripNotFound, _):
            return
                "The trip \(message.tripID) is unknown; expected the trip service's message before the driver's status"
        case (_, nil): return "\(message.state.code) is not allowed for the trip \(message.tripID)"
        }
    }

    private func staleVersion(_ message: TripMessage, _ stored: CurrentTrip) -> String {
        if stored.tripID != message.tripID {
            return "The trip \(message.tripID) changed before the trip \(stored.tripID), which replaced it"
        }
        guard let version = message.version, let storedVersion = stored.version else {
            return "\(message.state.code) is older than \(stored.state.code)"
        }
        if version == storedVersion {
            return "version \(version) is \(stored.state.code) already, not \(message.state.code); expected a later "
                + "version"
        }
        return "version \(version) is older than version \(storedVersion); expected version \(storedVersion) or later"
    }

    /// Returns the reason for which a transition of one trip is rejected; `nil` if it is allowed.
    ///
    /// The version is checked first, because an older message that arrives late is not an invalid transition. If either
    /// side has no version, only the states are compared. The same state, if it is not final, is an update of the plan.
    package static func evaluate(
        from stored: TripState, version storedVersion: Int64?, to next: TripState, version nextVersion: Int64?
    ) -> TripRejection? {
        if let storedVersion, let nextVersion {
            if nextVersion < storedVersion { return .staleVersion }
            if nextVersion == storedVersion, next != stored { return .staleVersion }
        }
        if stored == .cancelled { return .tripAlreadyCancelled }
        if stored == .completed { return .invalidTransition }
        return next == stored || stored.canMove(to: next) ? nil : .invalidTransition
    }
}
