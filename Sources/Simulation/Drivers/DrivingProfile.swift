/// Parameters of a driver's next ride.
struct DrivingProfile: Sendable {
    /// Crossings of pickup and dropoff; random if `nil`.
    var places: (pickup: Int, dropoff: Int)?
    /// Time from the request to its acceptance.
    var acceptSeconds: ClosedRange<Double>
    /// Time from the arrival at the pickup to the start of the ride.
    var boardingSeconds: ClosedRange<Double>
    /// Whether ``FleetConfiguration/cancelledShare`` applies.
    var mayBeCancelled: Bool
    /// Whether the route always includes the approach, and not only in ``FleetConfiguration/approachRouteShare``.
    var alwaysIncludesApproach: Bool

    static let usual = DrivingProfile(
        places: nil, acceptSeconds: 3...9, boardingSeconds: 8...45, mayBeCancelled: true, alwaysIncludesApproach: false)

    /// Ends within a minute and passes through all states of a ride.
    static func short(pickup: Int, dropoff: Int) -> DrivingProfile {
        DrivingProfile(
            places: (pickup, dropoff), acceptSeconds: 2...3, boardingSeconds: 4...5, mayBeCancelled: false,
            alwaysIncludesApproach: true)
    }
}
