/// A step within one ``TripState``, as in the mobile model.
///
/// For display only: no transition depends on it, and it ends with its state.
package enum TripStage: UInt8, Sendable, CaseIterable {
    /// Within `ACCEPTED`: the driver is driving to the pickup.
    case driverEnRoute
    /// Within `IN_PROGRESS`: the vehicle is at the destination, and the trip is not completed.
    case arrivedDestination

    /// Wire code; a trip service may send it in place of the state.
    package var code: StaticString {
        switch self {
        case .driverEnRoute: "DRIVER_EN_ROUTE"
        case .arrivedDestination: "ARRIVED_DESTINATION"
        }
    }
}
