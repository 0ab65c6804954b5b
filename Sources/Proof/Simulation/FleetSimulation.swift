import Tracking

/// A fleet that drives through a made-up town, sends what its devices say, and knows what is true.
///
/// Pure and seeded: the same configuration gives the same events, byte for byte, however finely time advances.
///
/// ```swift
/// var fleet = FleetSimulation(configuration: FleetConfiguration(drivers: 200, start: now))
/// fleet.advance(to: later) { event in produce(event) }
/// ```
package struct FleetSimulation: Sendable {
    private var world: World
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

    package var configuration: FleetConfiguration { world.configuration }
    package var network: StreetNetwork { world.network }

    /// - Precondition: ``FleetConfiguration/problem`` is `nil`.
    package init(configuration: FleetConfiguration) {
        precondition(configuration.problem == nil, configuration.problem ?? "")
        world = World(configuration: configuration)
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
        let cast = Self.cast(configuration: configuration, lines: world.lines.count, random: &random)
        fleet = []
        for (index, role) in cast.enumerated() {
            fleet.append(
                SimulatedDriver(index: index, cheat: role.cheat, line: role.line, world: world, isAt: beginning))
        }
        ledger.drivers = fleet.map {
            DriverTruth(driverID: $0.id, cheat: $0.cheat?.kind, isTransit: $0.line != nil)
        }
        while turns < warmUpSteps * fleet.count { takeTurn(at: nextTurnAt) }
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

    /// Who cheats how and who drives a bus, drawn by lot in exactly the shares asked for.
    private static func cast(
        configuration: FleetConfiguration, lines: Int, random: inout RandomSource
    ) -> [(cheat: CheatKind?, line: Int?)] {
        let cheaters = Int((Double(configuration.drivers) * configuration.cheaterShare).rounded())
        let buses = Int((Double(configuration.drivers) * configuration.transitShare).rounded())
        var cast: [(cheat: CheatKind?, line: Int?)] = Array(repeating: (nil, nil), count: configuration.drivers)
        var places = Array(cast.indices)
        for place in stride(from: places.count - 1, to: 0, by: -1) {
            places.swapAt(place, random.index(below: place + 1))
        }
        for (number, place) in places.prefix(cheaters).enumerated() {
            cast[place].cheat = CheatKind.allCases[number % CheatKind.allCases.count]
        }
        guard lines > 0 else { return cast }
        for (number, place) in places.suffix(min(buses, places.count - cheaters)).enumerated() {
            cast[place].line = number % lines
        }
        return cast
    }
}

extension SimulatedDriver {
    /// Sends the messages of the trip under way that are older than the simulation's start.
    mutating func publishTrip(at time: Timestamp, ledger: inout FleetLedger) {
        for message in tripLog { ledger.post(message, at: time) }
        tripLog = []
    }
}
