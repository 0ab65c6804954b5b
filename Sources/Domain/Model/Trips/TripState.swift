/// State of a trip.
package enum TripState: UInt8, Sendable, CaseIterable {
    case requested, accepted, arrived, inProgress, completed, cancelled

    /// Wire code.
    package var code: StaticString {
        switch self {
        case .requested: "REQUESTED"
        case .accepted: "ACCEPTED"
        case .arrived: "ARRIVED"
        case .inProgress: "IN_PROGRESS"
        case .completed: "COMPLETED"
        case .cancelled: "CANCELLED"
        }
    }
}

extension TripState {
    private static let afterRequested: [TripState] = [.accepted, .cancelled]
    private static let afterAccepted: [TripState] = [.arrived, .cancelled]
    private static let afterArrived: [TripState] = [.inProgress, .cancelled]
    private static let afterInProgress: [TripState] = [.completed, .cancelled]

    /// The states that may follow, the regular one first; empty for a final state.
    package var allowedTransitions: [TripState] {
        switch self {
        case .requested: Self.afterRequested
        case .accepted: Self.afterAccepted
        case .arrived: Self.afterArrived
        case .inProgress: Self.afterInProgress
        case .completed, .cancelled: []
        }
    }

    /// Whether `next` may follow this state; a state does not follow itself.
    package func canMove(to next: TripState) -> Bool {
        switch (self, next) {
        case (.requested, .accepted), (.accepted, .arrived), (.arrived, .inProgress), (.inProgress, .completed): true
        case (.requested, .cancelled), (.accepted, .cancelled), (.arrived, .cancelled), (.inProgress, .cancelled): true
        default: false
        }
    }

    /// The only state that leads to this one; `nil` for `REQUESTED` and `CANCELLED`.
    package var onlyPrevious: TripState? {
        switch self {
        case .accepted: .requested
        case .arrived: .accepted
        case .inProgress: .arrived
        case .completed: .inProgress
        case .requested, .cancelled: nil
        }
    }

    /// Whether the trip is completed or cancelled.
    package var hasEnded: Bool {
        switch self {
        case .completed, .cancelled: true
        case .requested, .accepted, .arrived, .inProgress: false
        }
    }

    /// Whether riders may see the driver's position.
    package var showsDriver: Bool {
        switch self {
        case .accepted, .arrived, .inProgress: true
        case .requested, .completed, .cancelled: false
        }
    }

    /// Whether the passenger or parcel has not been picked up and the driver has not arrived.
    package var isBeforePickup: Bool {
        switch self {
        case .requested, .accepted: true
        case .arrived, .inProgress, .completed, .cancelled: false
        }
    }
}
