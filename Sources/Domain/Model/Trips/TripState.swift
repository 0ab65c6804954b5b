package enum TripState: UInt8, Sendable, CaseIterable {
    case requested, accepted, arrived, inProgress, completed, cancelled

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

    /// Returns whether `next` may follow this state; a state does not follow itself.
    package func canMove(to next: TripState) -> Bool { allowedTransitions.contains(next) }

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

    package var hasEnded: Bool { self == .completed || self == .cancelled }

    /// Whether riders may see the driver's position.
    package var showsDriver: Bool { self == .accepted || self == .arrived || self == .inProgress }

    /// Whether the passenger or parcel has not been picked up and the driver has not arrived.
    package var isBeforePickup: Bool { self == .requested || self == .accepted }
}

/// A step within one ``TripState``, as in the mobile app; for display only.
package enum TripStage: UInt8, Sendable, CaseIterable {
    /// Within `ACCEPTED`: the driver is driving to the pickup.
    case driverEnRoute
    /// Within `IN_PROGRESS`: the vehicle is at the destination, but the trip is not completed.
    case arrivedDestination

    /// Wire code; a trip service may send it in place of the state.
    package var code: StaticString {
        switch self {
        case .driverEnRoute: "DRIVER_EN_ROUTE"
        case .arrivedDestination: "ARRIVED_DESTINATION"
        }
    }
}
