import Runtime
import Simulation
import Support

/// A simulated fleet that is sent to the topics in real time.
struct FleetDrive {
    private(set) var simulation: FleetSimulation
    private(set) var rawRecords = 0
    private(set) var tripMessages = 0

    /// Simulates the warm-up; the fleet starts to send shortly afterwards.
    ///
    /// `configuration`: creates the configuration for a start time.
    init(drivers: Int, _ configuration: (Timestamp) throws -> FleetConfiguration) throws {
        // Allows for the time that the warm-up takes; if it takes longer, the first events come in a burst.
        let start = Timestamp(milliseconds: WallClock.milliseconds() + Int64(200 + drivers))
        simulation = FleetSimulation(configuration: try configuration(start))
    }

    /// Sends all events that are due; calls `observe` with each event before it is sent.
    ///
    /// `isOffline`: whether to skip locations, as if drivers had no network.
    mutating func advance(
        with sender: RecordSender, stop: StopSignal, isOffline: Bool = false,
        _ observe: (SimulatedEvent) throws -> Void = { _ in }
    ) throws {
        var events: [SimulatedEvent] = []
        simulation.advance(to: .now) { events.append($0) }
        for event in events {
            if isOffline, case .rawRecord = event { continue }
            try observe(event)
            guard try send(event, with: sender, shouldGiveUp: { stop.isRaised }) else { return }
        }
    }

    /// Ends all trips in progress, and sends their last messages.
    mutating func endTrips(with sender: RecordSender) throws {
        var events: [SimulatedEvent] = []
        simulation.endTrips(at: .now) { events.append($0) }
        for case .tripMessage(let record) in events {
            _ = try send(.tripMessage(record), with: sender, shouldGiveUp: { false })
        }
    }

    private mutating func send(
        _ event: SimulatedEvent, with sender: RecordSender, shouldGiveUp: () -> Bool
    ) throws -> Bool {
        switch event {
        case .rawRecord(let record):
            rawRecords += 1
            return try sender.sendRaw(
                key: record.key, value: record.value, timestamp: .now, shouldGiveUp: shouldGiveUp)
        case .tripMessage(let record):
            tripMessages += 1
            return try sender.sendTrip(
                key: record.key, value: record.value, timestamp: .now, shouldGiveUp: shouldGiveUp)
        }
    }
}

extension Timestamp {
    /// The wall-clock time.
    static var now: Timestamp { Timestamp(milliseconds: WallClock.milliseconds()) }
}
