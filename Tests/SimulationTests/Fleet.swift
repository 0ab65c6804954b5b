import Foundation

@testable import Simulation
@testable import Support

/// Simulated fleets for tests, and their records.
enum Fleet {
    static let start = Timestamp(milliseconds: 1_763_000_000_000)

    static func configuration(drivers: Int = 40, seed: UInt64 = 1) -> FleetConfiguration {
        var configuration = FleetConfiguration(drivers: drivers, seed: seed, start: start)
        configuration.warmUpSeconds = 120
        // Most tests use phones; other devices have separate tests.
        configuration.rawReceiverShare = 0
        configuration.unusualDeviceShare = 0
        configuration.streets.columns = 36
        configuration.streets.rows = 36
        return configuration
    }

    static func events(
        _ configuration: FleetConfiguration, seconds: Double, stride: Int64 = 1000
    ) -> [SimulatedEvent] {
        var fleet = FleetSimulation(configuration: configuration)
        return events(&fleet, seconds: seconds, stride: stride)
    }

    static func events(_ fleet: inout FleetSimulation, seconds: Double, stride: Int64 = 1000) -> [SimulatedEvent] {
        var events: [SimulatedEvent] = []
        let end = fleet.configuration.start.advanced(bySeconds: seconds)
        var now = fleet.configuration.start
        while now < end {
            now = min(end, Timestamp(milliseconds: now.milliseconds + stride))
            fleet.advance(to: now) { events.append($0) }
        }
        return events
    }

    static func texts(seed: UInt64) -> [String] {
        events(configuration(drivers: 20, seed: seed), seconds: 40).map(text)
    }

    static func text(_ event: SimulatedEvent) -> String {
        switch event {
        case .rawRecord(let record):
            "\(record.sentAt.milliseconds) \(record.key) \(String(decoding: record.value, as: UTF8.self))"
        case .tripMessage(let record):
            "\(record.sentAt.milliseconds) \(record.key) \(record.value.map { String(decoding: $0, as: UTF8.self) } ?? "-")"
        }
    }

    /// Returns the ground truth of every fix in the order of sending, without repeats.
    static func fixes(_ events: [SimulatedEvent]) -> [FixGroundTruth] { records(events).flatMap(\.fixes) }

    /// Returns the raw records without repeats.
    static func records(_ events: [SimulatedEvent]) -> [SimulatedEvent.RawRecord] {
        events.compactMap { event in
            if case .rawRecord(let record) = event, !record.isRepeat { record } else { nil }
        }
    }

    static func messages(_ events: [SimulatedEvent]) -> [SimulatedEvent.TripRecord] {
        events.compactMap { event in
            if case .tripMessage(let record) = event { record } else { nil }
        }
    }

    /// Returns the fixes of each driver and session in the order of their sequence numbers.
    static func sessions(_ events: [SimulatedEvent]) -> [[FixGroundTruth]] {
        Dictionary(grouping: fixes(events)) { "\($0.driverID) \($0.sessionID)" }.values
            .map { $0.sorted { $0.sequence < $1.sequence } }
    }
}

extension Fleet {
    /// Returns the device's timestamp, read by a parser that is independent of the writer.
    static func deviceTime(in record: [UInt8]) -> Timestamp? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(record)) as? [String: Any] else { return nil }
        let text = object["timestamp"] ?? (object["payload"] as? [String: Any])?["timestamp"]
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let text = text as? String, let date = try? style.parse(text) else { return nil }
        return Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
}
