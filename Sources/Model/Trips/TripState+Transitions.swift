extension TripState {
    private static let afterRequested: [TripState] = [.accepted, .cancelled]
    private static let afterAccepted: [TripState] = [.arrived, .cancelled]
    private static let afterArrived: [TripState] = [.inProgress, .cancelled]
    private static let afterInProgress: [TripState] = [.completed, .cancelled]

    /// The states a trip may go to from this one, the ordinary next step first; empty once the trip has ended.
    package var allowedTransitions: [TripState] {
        switch self {
        case .requested: Self.afterRequested
        case .accepted: Self.afterAccepted
        case .arrived: Self.afterArrived
        case .inProgress: Self.afterInProgress
        case .completed, .cancelled: []
        }
    }

    /// Whether a trip may go from this state to `next` in one step; staying is not a step.
    package func canMove(to next: TripState) -> Bool {
        switch (self, next) {
        case (.requested, .accepted), (.accepted, .arrived), (.arrived, .inProgress), (.inProgress, .completed): true
        case (.requested, .cancelled), (.accepted, .cancelled), (.arrived, .cancelled), (.inProgress, .cancelled): true
        default: false
        }
    }

    /// The only state that leads to this one; `nil` for a request, and for a cancellation, which may follow several.
    package var onlyPrevious: TripState? {
        switch self {
        case .accepted: .requested
        case .arrived: .accepted
        case .inProgress: .arrived
        case .completed: .inProgress
        case .requested, .cancelled: nil
        }
    }

    /// Completed or cancelled: nothing follows.
    package var hasEnded: Bool {
        switch self {
        case .completed, .cancelled: true
        case .requested, .accepted, .arrived, .inProgress: false
        }
    }

    /// Whether the rider may see where the driver is.
    package var showsDriver: Bool {
        switch self {
        case .accepted, .arrived, .inProgress: true
        case .requested, .completed, .cancelled: false
        }
    }

    /// Whether the passenger (or parcel) is still to be picked up.
    package var isBeforePickup: Bool {
        switch self {
        case .requested, .accepted: true
        case .arrived, .inProgress, .completed, .cancelled: false
        }
    }
}
