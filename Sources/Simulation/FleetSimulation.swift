import Support

/// Simulation of a fleet in a synthetic town.
///
/// Emits the records that devices send, and stores the ground truth. The same configuration gives the same events, byte
/// for byte, however the time is divided into calls of ``advance(to:_:)``.
///
/// ```swift
/// var fleet = FleetSimulation(configuration: FleetConfiguration(drivers: 200, start: now))
/// fleet.advance(to: later) { event in produce(event) }
/// ```
package struct FleetSimulation: Sendable {
    private var context: SimulationContext
    private var fleet: [SimulatedDriver]
    /// Driver numbers in the order in which they are simulated in a step.
    private let order: [Int]
    /// Time within a step at which each driver of ``order`` is simulated, in milliseconds.
    private let phases: [Int64]
    private let intervalMilliseconds: Int64
    /// Number of driver steps simulated so far; each step simulates one driver.
    private var stepCount = 0
    private let warmUpSteps: Int
    private let beginning: Timestamp
    /// Id of a trip that is requested at the start and completed within 56 s.
    ///
    /// `nil` if ``FleetConfiguration/includesShortRide`` is `false`, or if no driver can run such a ride.
    package private(set) var shortRideID: String?

    /// Maximum time from the start to the end of the short ride, in seconds.
    private static let shortRideSeconds = 56.0
    private static let shortRideAttempts = 400
    /// Duration of a ride's shorter drive, in seconds, that ends the search for a short ride.
    private static let sufficientDriveSeconds = 18.0

    package var configuration: FleetConfiguration { context.configuration }
    package var network: StreetNetwork { context.network }

    /// - Precondition: ``FleetConfiguration/problem`` is `nil`.
    package init(configuration: FleetConfiguration) {
        precondition(configuration.problem == nil, configuration.problem ?? "")
        context = SimulationContext(configuration: configuration)
        intervalMilliseconds = Int64((configuration.tripIntervalSeconds * 1000).rounded())
        warmUpSteps = Int(configuration.warmUpSeconds * 1000) / Int(intervalMilliseconds)
        beginning = Timestamp(
            milliseconds: configuration.start.milliseconds - Int64(warmUpSteps) * intervalMilliseconds)
        var random = RandomSource(seed: configuration.seed, index: 0, purpose: 5)
        let interval = Int(intervalMilliseconds)
        let slots = (0..<configuration.drivers)
            .map { (phase: Int64(random.index(below: interval)), driver: $0) }
            .sorted { $0.phase != $1.phase ? $0.phase < $1.phase : $0.driver < $1.driver }
        order = slots.map(\.driver)
        phases = slots.map(\.phase)
        let roles = DriverRole.assign(configuration: configuration, lines: context.lines.count, random: &random)
        fleet = []
        for (index, role) in roles.enumerated() {
            fleet.append(SimulatedDriver(index: index, role: role, context: context, isAt: beginning))
        }
        context.output.drivers = fleet.map {
            DriverGroundTruth(
                driverID: $0.id, cheat: $0.cheat?.kind, isTransit: $0.line != nil, receiver: $0.noise.receiver,
                variant: $0.variant)
        }
        let shortRideDriver = configuration.includesShortRide ? Self.fastestAcceleratingDriver(of: fleet) : nil
        if let shortRideDriver { fleet[shortRideDriver].phase = .idle(until: configuration.start) }
        while stepCount < warmUpSteps * fleet.count { stepNextDriver(at: nextStepAt) }
        if let shortRideDriver { planShortRide(of: shortRideDriver) }
        context.output.isSending = true
    }

    package var drivers: [DriverGroundTruth] { context.output.drivers }
    /// Trips since the start of the warm-up, in the order of their requests.
    package var trips: [TripGroundTruth] { context.output.trips }
    /// Number of fixes that never arrive.
    var lostFixes: Int { context.output.lostFixes }

    /// Advances to `time` and emits all events sent until then, in order.
    package mutating func advance(to time: Timestamp, _ emit: (SimulatedEvent) -> Void) {
        while case let now = nextStepAt, now <= time {
            while let event = context.output.events.next(upTo: now) { emit(event) }
            stepNextDriver(at: now)
        }
        while let event = context.output.events.next(upTo: time) { emit(event) }
    }

    /// Ends every unfinished trip with a tombstone, and emits all events sent until `time`.
    package mutating func endTrips(at time: Timestamp, _ emit: (SimulatedEvent) -> Void) {
        for driver in fleet where driver.trip != nil { context.output.post(nil, of: driver.id, at: time) }
        while let event = context.output.events.next(upTo: time) { emit(event) }
    }

    /// Returns the driver with the highest acceleration among the drivers that can run the short ride.
    private static func fastestAcceleratingDriver(of fleet: [SimulatedDriver]) -> Int? {
        fleet.indices.filter { fleet[$0].canRunShortRide }.max {
            fleet[$0].style.accelerationMetersPerSecondSquared < fleet[$1].style.accelerationMetersPerSecondSquared
        }
    }

    /// Plans the short ride.
    ///
    /// A ride has a drive to the pickup and a drive to the dropoff. The ride whose shorter
    /// drive is longest is selected.
    private mutating func planShortRide(of driver: Int) {
        let slot = order.firstIndex(of: driver) ?? 0
        let first = Timestamp(milliseconds: configuration.start.milliseconds + phases[slot])
        let last = configuration.start.advanced(bySeconds: Self.shortRideSeconds)
        var best: (driver: SimulatedDriver, seconds: Double)?
        for attempt in 0..<Self.shortRideAttempts where (best?.seconds ?? 0) < Self.sufficientDriveSeconds {
            var candidate = fleet[driver]
            let random = RandomSource(seed: configuration.seed, index: UInt64(attempt), purpose: 6)
            guard candidate.prepareShortRide(at: configuration.start, random: random, context: context),
                let seconds = candidate.shorterDriveOfShortRide(from: first, to: last, context: context)
            else { continue }
            if best.map({ seconds > $0.seconds }) ?? true { best = (candidate, seconds) }
        }
        guard let best else { return }
        fleet[driver] = best.driver
        shortRideID = best.driver.nextTripID(context.configuration)
    }

    private var nextStepAt: Timestamp {
        let (step, slot) = stepCount.quotientAndRemainder(dividingBy: fleet.count)
        return Timestamp(
            milliseconds: beginning.milliseconds + Int64(step) * intervalMilliseconds + phases[slot])
    }

    private mutating func stepNextDriver(at time: Timestamp) {
        let (step, slot) = stepCount.quotientAndRemainder(dividingBy: fleet.count)
        let driver = order[slot]
        if step == warmUpSteps {
            // Sends the messages that the current trip produced during the warm-up.
            for message in fleet[driver].tripLog { context.output.post(message, of: fleet[driver].id, at: time) }
            fleet[driver].tripLog = []
        }
        fleet[driver].step(to: time, isSending: context.output.isSending, context: &context)
        stepCount += 1
    }
}
