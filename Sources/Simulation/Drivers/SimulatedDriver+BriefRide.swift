import Model
import Support

/// A ride that is over within a minute, to be watched from its request to its end.
extension SimulatedDriver {
    /// As the crow flies to the pickup, and from there to the dropoff, in metres: a short block.
    private static let briefMeters = 60...170.0

    /// Whether the driver can have a brief ride that is told as it is: no cheater, no bus, no clock that is far off, no
    /// receiver that jumps about, no peculiar device.
    var mayHaveBriefRide: Bool {
        cheat == nil && line == nil && noise.receiver == .phone && variant == .usual
            && abs(device.clockSkewSeconds) < 5
    }

    /// Puts the driver, who is without a trip, near a pickup that is requested at `time`.
    ///
    /// `random`: what the driver does from then on follows from it.
    /// - Returns: whether the ride leads on, not back to where the driver comes from.
    mutating func prepareBriefRide(at time: Timestamp, random: RandomSource, world: SimulationContext) -> Bool {
        precondition(trip == nil, "A driver who has a trip was given another.")
        self.random = random
        let home = placeInTheMiddle(of: world.network)
        let pickup = world.destination(from: home, within: Self.briefMeters, tries: 2000, random: &self.random)
        let dropoff = world.destination(from: pickup, within: Self.briefMeters, tries: 2000, random: &self.random)
        vehicle = Vehicle(path: DrivePath(crossings: [home], in: world.network), style: style)
        phase = .idle(until: time)
        manner = .brief(pickup: pickup, dropoff: dropoff)
        let places = world.network.crossings
        return places[home].distanceMeters(to: places[dropoff]) > places[home].distanceMeters(to: places[pickup])
    }

    /// Of some places that are drawn by lot the one that is nearest to the middle of the town.
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

    /// How the brief ride is going to turn out: when its states will begin, as far as they do until `last`.
    ///
    /// `first`: when the driver has the next turn.
    func rehearsedBriefRide(from first: Timestamp, to last: Timestamp, world: inout SimulationContext) -> BriefRideTimes
    {
        var driver = self
        var ledger = FleetLedger()
        var times = BriefRideTimes()
        var time = first
        while time <= last, times.completedAt == nil {
            driver.step(to: time, isSending: false, world: &world, ledger: &ledger)
            if let trip = ledger.trips.first { times.note(trip, at: time) }
            time = time.advanced(bySeconds: world.configuration.tripIntervalSeconds)
        }
        return times
    }
}
