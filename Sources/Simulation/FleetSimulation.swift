import Support

/// A fleet that drives through a made-up town, sends what its devices say, and knows what is true.
///
/// Pure and seeded: the same configuration gives the same events, byte for byte, however finely time advances.
///
/// ```swift
/// var fleet = FleetSimulation(configuration: FleetConfiguration(drivers: 200, start: now))
/// fleet.advance(to: later) { event in produce(event) }
/// ```
package struct FleetSimulation: Sendable {
    private var world: SimulationContext
    private var fleet: [SimulatedDriver]
    private var ledger = FleetLedger()
    /// Driver numbers in the order in which they live through a step.
    private let order: [Int]
    /// When in a step each of ``order`` has its turn, in milliseconds.
    private let phases: [Int64]
    private let intervalMilliseconds: Int64
    /// Driver turns taken since the world began.
    private var turns = 0
    private let warmUpSteps: Int
    private let beginning: Timestamp
    /// The trip that begins as the fleet does and ends, completed, within 56 s; `nil` unless
    /// ``FleetConfiguration/hasBriefRide`` asks for it, and where the fleet has no driver for it.
    package private(set) var briefRideID: String?

    /// A brief ride is over at most so long after the start.
    private static let briefRideSeconds = 56.0
    private static let briefRideAttempts = 400
    /// Nothing better is looked for than a ride whose drives both take so long.
    private static let longBriefDriveSeconds = 18.0

    package var configuration: FleetConfiguration { world.configuration }
    package var network: StreetNetwork { world.network }

    /// - Precondition: ``FleetConfiguration/problem`` is `nil`.
    package init(configuration: FleetConfiguration) {
        precondition(configuration.problem == nil, configuration.problem ?? "")
        world = SimulationContext(configuration: configuration)
        intervalMilliseconds = Int64((configuration.tripIntervalSeconds * 1000).rounded())
        warmUpSteps = Int(configuration.warmUpSeconds * 1000) / Int(intervalMilliseconds)
        beginning = Timestamp(
            milliseconds: configuration.start.milliseconds - Int64(warmUpSteps) * intervalMilliseconds)
        var random = RandomSource(seed: configuration.seed, index: 0, purpose: 5)
        let interval = Int(intervalMilliseconds)
        let turn = (0..<configuration.drivers)
            .map { (phase: Int64(random.index(below: interval)), driver: $0) }
            .sorted { $0.phase != $1.phase ? $0.phase < $1.phase : $0.driver < $1.driver }
        order = turn.map(\.driver)
        phases = turn.map(\.phase)
        let cast = DriverRole.cast(configuration: configuration, lines: world.lines.count, random: &random)
        fleet = []
        for (index, role) in cast.enumerated() {
            fleet.append(SimulatedDriver(index: index, role: role, world: world, isAt: beginning))
        }
        ledger.drivers = fleet.map {
            DriverTruth(
                driverID: $0.id, cheat: $0.cheat?.kind, isTransit: $0.line != nil, receiver: $0.noise.receiver,
                variant: $0.variant)
        }
        let briefDriver = configuration.hasBriefRide ? Self.briskestDriver(of: fleet) : nil
        if let briefDriver { fleet[briefDriver].phase = .idle(until: configuration.start) }
        while turns < warmUpSteps * fleet.count { takeTurn(at: nextTurnAt) }
        if let briefDriver { planBriefRide(of: briefDriver) }
        ledger.isSending = true
    }

    /// What is true of each driver.
    package var drivers: [DriverTruth] { ledger.drivers }
    /// What is true of each trip since the world began, in the order in which they were asked for.
    package var trips: [TripTruth] { ledger.trips }
    package var statistics: FleetStatistics { ledger.statistics }

    /// Lets time pass up to `time` and hands over everything sent until then, in the order of sending.
    package mutating func advance(to time: Timestamp, _ emit: (SimulatedEvent) -> Void) {
        while case let now = nextTurnAt, now <= time {
            while let event = ledger.outbox.next(upTo: now) { emit(event) }
            takeTurn(at: now)
        }
        while let event = ledger.outbox.next(upTo: time) { emit(event) }
    }

    /// Hands over a tombstone for every trip still under way, so that the trips topic is left tidy.
    package mutating func endTrips(at time: Timestamp, _ emit: (SimulatedEvent) -> Void) {
        for driver in fleet where driver.trip != nil { ledger.post(tombstoneOf: driver.id, at: time) }
        while let event = ledger.outbox.next(upTo: time) { emit(event) }
    }

    /// Of those who may have a brief ride the one who accelerates most, as both drives are short.
    private static func briskestDriver(of fleet: [SimulatedDriver]) -> Int? {
        fleet.indices.filter { fleet[$0].mayHaveBriefRide }.max {
            fleet[$0].style.accelerationMetersPerSecondSquared < fleet[$1].style.accelerationMetersPerSecondSquared
        }
    }

    /// Gives a driver without a trip a brief ride: of several that are tried out the one of which most is to be seen.
    private mutating func planBriefRide(of driver: Int) {
        let place = order.firstIndex(of: driver) ?? 0
        let first = Timestamp(milliseconds: configuration.start.milliseconds + phases[place])
        let last = configuration.start.advanced(bySeconds: Self.briefRideSeconds)
        var best: (driver: SimulatedDriver, seconds: Double)?
        for attempt in 0..<Self.briefRideAttempts where (best?.seconds ?? 0) < Self.longBriefDriveSeconds {
            var tried = fleet[driver]
            let random = RandomSource(seed: configuration.seed, index: UInt64(attempt), purpose: 6)
            guard tried.prepareBriefRide(at: configuration.start, random: random, world: world),
                let seconds = tried.rehearsedBriefRide(from: first, to: last, world: &world).shorterDriveSeconds
            else { continue }
            if best.map({ seconds > $0.seconds }) ?? true { best = (tried, seconds) }
        }
        guard let best else { return }
        fleet[driver] = best.driver
        briefRideID = best.driver.nextTripID(world.configuration)
    }

    private var nextTurnAt: Timestamp {
        let (step, place) = turns.quotientAndRemainder(dividingBy: fleet.count)
        return Timestamp(
            milliseconds: beginning.milliseconds + Int64(step) * intervalMilliseconds + phases[place])
    }

    private mutating func takeTurn(at time: Timestamp) {
        let (step, place) = turns.quotientAndRemainder(dividingBy: fleet.count)
        let driver = order[place]
        if step == warmUpSteps { fleet[driver].publishTrip(at: time, ledger: &ledger) }
        fleet[driver].step(to: time, isSending: ledger.isSending, world: &world, ledger: &ledger)
        turns += 1
    }
}

extension SimulatedDriver {
    /// Sends the messages of the trip under way that are older than the simulation's start.
    mutating func publishTrip(at time: Timestamp, ledger: inout FleetLedger) {
        for message in tripLog { ledger.post(message, at: time) }
        tripLog = []
    }
}
