import Runtime
import Simulation
import Support

/// Sends a simulated fleet to the topics in real time.
struct FleetDrive {
    private(set) var simulation: FleetSimulation
    private(set) var rawRecords = 0
    private(set) var tripMessages = 0

    /// Simulates the warm-up; the fleet starts to send shortly after.
    ///
    /// `configuration`: creates the configuration for a start time.
    init(drivers: Int, _ configuration: (Timestamp) throws -> FleetConfiguration) throws {
        // About the time that the warm-up takes; if it takes longer, the first events come in a burst.
        let allowance = Int64(200 + drivers)
        let start = Timestamp(milliseconds: WallClock.milliseconds() + allowance)
        simulation = FleetSimulation(configuration: try configuration(start))
    }

    /// Sends everything that is due; calls `observe` with each event before.
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

    /// Advances to now without sending locations, as if drivers had no network; sends trip messages.
    mutating func passOffline(with sender: RecordSender, stop: StopSignal) throws {
        var events: [SimulatedEvent] = []
        simulation.advance(to: Timestamp(milliseconds: WallClock.milliseconds())) { events.append($0) }
        for event in events {
            guard case .tripMessage = event else { continue }
            guard try send(event, with: sender, stop: stop) else { return }
        }
    }

    /// Ends all trips in progress.
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
