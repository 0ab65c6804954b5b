/// Why a trip message was not followed; the held state stands and the message goes to the dead letters.
package enum TripRejection: UInt8, Sendable, CaseIterable {
    /// The step is not one of ``TripState/allowedTransitions``.
    case invalidTransition
    /// The version is older than the one held, or the same one with another state.
    case staleVersion
    /// A change after the trip was cancelled.
    case tripAlreadyCancelled
    /// A driver's own status of a trip that the trip service has not told of.
    case tripNotFound

    /// What is known of the trip that stands against a message.
    package struct Held: Sendable, Equatable {
        package var tripID: String
        package var state: TripState
        package var version: Int64?

        package init(tripID: String, state: TripState, version: Int64?) {
            self.tripID = tripID
            self.state = state
            self.version = version
        }
    }

    /// As on the wire.
    package var code: StaticString {
        switch self {
        case .invalidTransition: "INVALID_TRANSITION"
        case .staleVersion: "STALE_VERSION"
        case .tripAlreadyCancelled: "TRIP_ALREADY_CANCELLED"
        case .tripNotFound: "TRIP_NOT_FOUND"
        }
    }

    /// What is wrong with a message, and what was expected.
    /// - Parameters:
    ///   - message: the message that was not followed.
    ///   - held: the trip that stands against it; `nil` when there is none.
    /// - Returns: `REQUESTED → COMPLETED is not allowed; expected ACCEPTED or CANCELLED`, or the like.
    package func text(of message: TripMessage, held: Held?) -> String {
        switch (self, held) {
        case (.invalidTransition, let held?), (.tripAlreadyCancelled, let held?):
            let expected = held.state.allowedTransitions.map { "\($0.code)" }.joined(separator: " or ")
            return "\(held.state.code) → \(message.state.code) is not allowed; "
                + (expected.isEmpty ? "the trip has ended" : "expected \(expected)")
        case (.staleVersion, let held?): return staleVersion(message, held)
        case (.tripNotFound, _):
            return
                "The trip \(message.tripID) is unknown; expected the trip service's message with the plan before the "
                + "driver's status"
        case (_, nil): return "\(message.state.code) is not allowed for the trip \(message.tripID)"
        }
    }

    private func staleVersion(_ message: TripMessage, _ held: Held) -> String {
        if held.tripID != message.tripID {
            return "The trip \(message.tripID) changed before the trip \(held.tripID), which took its place"
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

    /// Judges a step of one trip; `nil` when it may be taken.
    ///
    /// An older version is told apart first, because a late copy of an earlier message is the sender's network and not
    /// a forbidden wish. Without a version on either side only the states decide. Staying in a state that has not
    /// ended is an update of the plan and allowed.
    package static func judge(
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
