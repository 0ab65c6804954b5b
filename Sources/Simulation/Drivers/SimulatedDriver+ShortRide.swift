import Domain
import Support

/// A ride that ends within a minute, for demonstrations.
extension SimulatedDriver {
    /// Straight distance to the pickup, and from there to the dropoff, in metres.
    private static let shortMeters = 60...170.0

    /// Whether the driver is an honest ride driver with a usual phone whose clock is less than 5 s off.
    var canRunShortRide: Bool {
        cheat == nil && line == nil && noise.receiver == .phone && variant == .usual
            && abs(device.clockSkewSeconds) < 5
    }

    /// Places a driver without a trip near the pickup of a ride that is requested at `time`.
    ///
    /// `random` replaces the driver's random source.
    /// - Returns: whether the dropoff is farther from the driver's start than the pickup.
    mutating func prepareShortRide(at time: Timestamp, random: RandomSource, context: SimulationContext) -> Bool {
        precondition(trip == nil, "The driver already has a trip.")
        self.random = random
        let home = centralDestination(of: context.network)
        let pickup = context.destination(from: home, within: Self.shortMeters, tries: 2000, random: &self.random)
        let dropoff = context.destination(from: pickup, within: Self.shortMeters, tries: 2000, random: &self.random)
        vehicle = Vehicle(path: DrivePath(crossings: [home], in: context.network), style: style)
        phase = .idle(until: time)
        rideProfile = .short(pickup: pickup, dropoff: dropoff)
        let points = context.network.crossings
        return points[home].distanceMeters(to: points[dropoff]) > points[home].distanceMeters(to: points[pickup])
    }

    /// Draws three random destinations and returns the nearest to the town's centre.
    private mutating func centralDestination(of network: StreetNetwork) -> Int {
        func metersFromCentre(_ crossing: Int) -> Double {
            network.crossings[crossing].distanceMeters(to: TangentPlane.Point(east: 0, north: 0))
        }
        let candidates = (0..<3).map { _ in network.destinations[random.index(below: network.destinations.count)] }
        return candidates.min { metersFromCentre($0) < metersFromCentre($1) } ?? candidates[0]
    }

    /// Simulates the short ride in advance and returns the duration of its shorter drive, in seconds.
    ///
    /// `first` is the time of the driver's next step. Returns `nil` if the ride has not ended by `last`.
    func shorterDriveOfShortRide(from first: Timestamp, to last: Timestamp, context: SimulationContext) -> Double? {
        var driver = self
        var context = context
        context.output = FleetOutput()
        /// Time of the first step in each state of the trip.
        var began: [TripState: Timestamp] = [:]
        var time = first
        while time <= last, began[.completed] == nil {
            driver.step(to: time, isSending: false, context: &context)
            if let state = context.output.trips.first?.state, began[state] == nil { began[state] = time }
            time = time.advanced(bySeconds: context.configuration.tripIntervalSeconds)
        }
        guard began[.completed] != nil, let acceptedAt = began[.accepted], let arrivedAt = began[.arrived],
            let startedAt = began[.inProgress], let droppedAt = context.output.trips.first?.stops.last?.arrivedAt
        else { return nil }
        return min(arrivedAt.seconds(since: acceptedAt), droppedAt.seconds(since: startedAt))
    }
}
