import Domain
import Support

/// A ride that ends within a minute, for demonstrations.
extension SimulatedDriver {
    /// Straight distance to the pickup, and from there to the dropoff, in metres.
    private static let shortMeters = 60...170.0

    /// Whether the driver is an honest ride driver with a phone, a correct clock and a usual device.
    var canRunShortRide: Bool {
        cheat == nil && line == nil && noise.receiver == .phone && variant == .usual
            && abs(device.clockSkewSeconds) < 5
    }

    /// Moves a driver without a trip near a pickup that is requested at `time`.
    ///
    /// `random` replaces the driver's random source.
    /// - Returns: whether the dropoff is farther from the driver's start than the pickup.
    mutating func prepareShortRide(at time: Timestamp, random: RandomSource, context: SimulationContext) -> Bool {
        precondition(trip == nil, "The driver already has a trip.")
        self.random = random
        let home = placeInTheMiddle(of: context.network)
        let pickup = context.destination(from: home, within: Self.shortMeters, tries: 2000, random: &self.random)
        let dropoff = context.destination(from: pickup, within: Self.shortMeters, tries: 2000, random: &self.random)
        vehicle = Vehicle(path: DrivePath(crossings: [home], in: context.network), style: style)
        phase = .idle(until: time)
        rideProfile = .short(pickup: pickup, dropoff: dropoff)
        let places = context.network.crossings
        return places[home].distanceMeters(to: places[dropoff]) > places[home].distanceMeters(to: places[pickup])
    }

    /// Returns the place nearest to the centre of three random ones.
    private mutating func placeInTheMiddle(of network: StreetNetwork) -> Int {
        func metersOff(_ crossing: Int) -> Double {
            network.crossings[crossing].distanceMeters(to: TangentPlane.Point(east: 0, north: 0))
        }
        var best = network.destinations[random.index(below: network.destinations.count)]
        for _ in 0..<2 {
            let place = network.destinations[random.index(below: network.destinations.count)]
            if metersOff(place) < metersOff(best) { best = place }
        }
        return best
    }

    /// Simulates the short ride in advance and returns when its states begin, up to `last`.
    ///
    /// `first` is the driver's next step.
    func simulatedShortRide(from first: Timestamp, to last: Timestamp, context: inout SimulationContext)
        -> ShortRideTimes
    {
        var driver = self
        var ledger = FleetLedger()
        var times = ShortRideTimes()
        var time = first
        while time <= last, times.completedAt == nil {
            driver.step(to: time, isSending: false, context: &context, ledger: &ledger)
            if let trip = ledger.trips.first { times.record(trip, at: time) }
            time = time.advanced(bySeconds: context.configuration.tripIntervalSeconds)
        }
        return times
    }
}

/// Start of each state of a short ride; `nil` before it.
struct ShortRideTimes: Sendable, Equatable {
    private(set) var acceptedAt: Timestamp?
    private(set) var arrivedAt: Timestamp?
    private(set) var startedAt: Timestamp?
    private(set) var droppedAt: Timestamp?
    private(set) var completedAt: Timestamp?

    /// Records the trip's state at `time`.
    mutating func record(_ trip: TripGroundTruth, at time: Timestamp) {
        switch trip.state {
        case .requested, .cancelled: break
        case .accepted: acceptedAt = acceptedAt ?? time
        case .arrived: arrivedAt = arrivedAt ?? time
        case .inProgress: startedAt = startedAt ?? time
        case .completed: completedAt = completedAt ?? time
        }
        droppedAt = trip.stops.last?.arrivedAt
    }

    /// Duration of the shorter of both drives, in seconds; `nil` if the ride does not end.
    var shorterDriveSeconds: Double? {
        guard let acceptedAt, let arrivedAt, let startedAt, let droppedAt, completedAt != nil else { return nil }
        return min(arrivedAt.seconds(since: acceptedAt), droppedAt.seconds(since: startedAt))
    }
}
