import Runtime
import Simulation
import Support

/// A simulated fleet in real time: what it has sent until now goes to the topics now.
struct FleetDrive {
    private(set) var simulation: FleetSimulation
    private(set) var rawRecords = 0
    private(set) var tripMessages = 0

    /// Lives through the warm-up; the fleet begins to send shortly after.
    ///
    /// `configuration` makes the fleet's configuration of the time at which it begins.
    init(drivers: Int, _ configuration: (Timestamp) throws -> FleetConfiguration) throws {
        // About what the warm-up takes; when it takes longer, the first moments come in a burst.
        let allowance = Int64(200 + drivers)
        let start = Timestamp(milliseconds: WallClock.milliseconds() + allowance)
        simulation = FleetSimulation(configuration: try configuration(start))
    }

    /// Sends everything that is due; `observe` learns of each event before it is sent.
    mutating func advance(
        with sender: RecordSender, stop: StopSignal, _ observe: (SimulatedEvent) throws -> Void
    ) throws {
        var events: [SimulatedEvent] = []
        simulation.advance(to: Timestamp(milliseconds: WallClock.milliseconds())) { events.append($0) }
        for event in events {
            try observe(event)
            guard try send(event, with: sender, stop: stop) else { return }
        }
    }

    /// Lets time pass until now without sending locations, as if the drivers had had no network; trips are sent.
    mutating func passOffline(with sender: RecordSender, stop: StopSignal) throws {
        var events: [SimulatedEvent] = []
        simulation.advance(to: Timestamp(milliseconds: WallClock.milliseconds())) { events.append($0) }
        for event in events {
            guard case .tripMessage = event else { continue }
            guard try send(event, with: sender, stop: stop) else { return }
        }
    }

    /// Takes all trips under way off the trips topic.
    mutating func endTrips(with sender: RecordSender) throws {
        var events: [SimulatedEvent] = []
        simulation.endTrips(at: Timestamp(milliseconds: WallClock.milliseconds())) { events.append($0) }
        for case .tripMessage(let record) in events {
            tripMessages += 1
            let now = Timestamp(milliseconds: WallClock.milliseconds())
            try sender.sendTrip(key: record.key, value: record.value, timestamp: now)
        }
    }

    private mutating func send(_ event: SimulatedEvent, with sender: RecordSender, stop: StopSignal) throws -> Bool {
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        switch event {
        case .rawRecord(let record):
            rawRecords += 1
            return try sender.sendRaw(
                key: record.key, value: record.value, timestamp: now, shouldGiveUp: { stop.isRaised })
        case .tripMessage(let record):
            tripMessages += 1
            return try sender.sendTrip(
                key: record.key, value: record.value, timestamp: now, shouldGiveUp: { stop.isRaised })
        }
    }
}
