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

    /// As on the wire.
    package var code: StaticString {
        switch self {
        case .invalidTransition: "INVALID_TRANSITION"
        case .staleVersion: "STALE_VERSION"
        case .tripAlreadyCancelled: "TRIP_ALREADY_CANCELLED"
        case .tripNotFound: "TRIP_NOT_FOUND"
        }
    }

    /// One sentence for people.
    package var sentence: StaticString {
        switch self {
        case .invalidTransition, .staleVersion, .tripAlreadyCancelled:
            "The trip's held state does not allow this step."
        case .tripNotFound:
            "A driver's status begins no trip: the trip service's message with the plan has to come first."
        }
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
