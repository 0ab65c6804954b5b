/// Where a trip is in its life.
package enum TripState: UInt8, Sendable, CaseIterable {
    case requested, accepted, arrived, inProgress, completed, cancelled

    /// As on the wire.
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
