package enum TripState: UInt8, Sendable, CaseIterable {
    case requested, accepted, arrived, inProgress, completed, cancelled
    package static let codes: [StaticString] = [
        "REQUESTED", "ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED", "CANCELLED",
    ]
    package var code: StaticString { Self.codes[Int(rawValue)] }
}

extension TripState {
    /// Allowed transitions by raw value; stored, because a literal would allocate at each use.
    private static let transitions: [[TripState]] = [
        [.accepted, .cancelled], [.arrived, .cancelled], [.inProgress, .cancelled], [.completed, .cancelled], [], [],
    ]

    /// The states that may follow, the regular successor first; empty for a final state.
    package var allowedTransitions: [TripState] { Self.transitions[Int(rawValue)] }

    /// Returns whether `next` may follow this state; a state does not follow itself.
    package func canMove(to next: TripState) -> Bool { allowedTransitions.contains(next) }

    /// The only state that leads to this state; `nil` for `REQUESTED` and `CANCELLED`.
    package var onlyPrevious: TripState? { Self.allCases.first { $0.allowedTransitions.first == self } }

    package var hasEnded: Bool { self == .completed || self == .cancelled }

    /// Whether riders may see the driver's position.
    package var showsDriver: Bool { self == .accepted || self == .arrived || self == .inProgress }

    /// Whether the driver has not arrived at the pickup.
    package var isBeforePickup: Bool { self == .requested || self == .accepted }
}

/// A step within one ``TripState``, as in the mobile app; for display only.
package enum TripStage: UInt8, Sendable, CaseIterable {
    /// Within `ACCEPTED`: the driver is driving to the pickup.
    case driverEnRoute
    /// Within `IN_PROGRESS`: the vehicle is at the destination, but the trip is not completed.
    case arrivedDestination

    /// Codes that a trip service may send instead of the state.
    package static let codes: [StaticString] = ["DRIVER_EN_ROUTE", "ARRIVED_DESTINATION"]
    package var code: StaticString { Self.codes[Int(rawValue)] }
}
