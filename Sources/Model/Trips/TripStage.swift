/// A step of a trip within one state, which the mobile model tells apart and ``TripState`` does not.
///
/// It is told and changes nothing else: no transition depends on it. A stage lasts as long as its state.
package enum TripStage: UInt8, Sendable, CaseIterable {
    /// `ACCEPTED`: the driver has set out for the pickup.
    case driverEnRoute
    /// `IN_PROGRESS`: the vehicle is at the destination, and the trip has not been completed.
    case arrivedDestination

    /// As on the wire, where a trip service may send it as the state.
    package var code: StaticString {
        switch self {
        case .driverEnRoute: "DRIVER_EN_ROUTE"
        case .arrivedDestination: "ARRIVED_DESTINATION"
        }
    }
}
