/// How the next ride of a driver goes.
struct DrivingProfile: Sendable {
    /// Crossings of the pickup and the dropoff; `nil` where they are drawn by lot.
    var places: (pickup: Int, dropoff: Int)?
    /// From the request to its acceptance.
    var acceptSeconds: ClosedRange<Double>
    /// From the arrival at the pickup to the start of the ride.
    var boardingSeconds: ClosedRange<Double>
    /// Whether some are cancelled, as ``FleetConfiguration/cancelledShare`` says.
    var mayBeCancelled: Bool
    /// Whether the trip always tells the route to the pickup, and not only in ``FleetConfiguration/approachRouteShare``.
    var alwaysTellsApproach: Bool

    static let usual = DrivingProfile(
        places: nil, acceptSeconds: 3...9, boardingSeconds: 8...45, mayBeCancelled: true, alwaysTellsApproach: false)

    /// Over within a minute, and with all that there is to see of a ride.
    static func brief(pickup: Int, dropoff: Int) -> DrivingProfile {
        DrivingProfile(
            places: (pickup, dropoff), acceptSeconds: 2...3, boardingSeconds: 4...5, mayBeCancelled: false,
            alwaysTellsApproach: true)
    }
}
