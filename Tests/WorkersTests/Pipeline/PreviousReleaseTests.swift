import BroadcastWorker
import Domain
import EtaWorker
import Foundation
import LocationWorker
import Processing
import Support
import TestSupport
import Testing

/// Restores changelogs of the previous release from `Tests/Stored/previous.ndjson`.
///
/// Rewrite the file (SIGHTLINE_TEST_WRITE_CHANGELOGS=1) only right after a release, with its code.
@Suite("Changelogs of the previous release", .serialized)
struct PreviousReleaseTests {
    /// One of the last records of a changelog.
    private struct Line: Codable {
        var topic: String
        var key: String
        var timestamp: Int64
        var clock: [UInt8]
        var state: [UInt8]

        func record() -> RecordedTopic.Record {
            let event = clock.withUnsafeBytes { WatermarkHeader.event(of: ByteSlice($0)) }
            return .init(
                key: Array(key.utf8), value: [], timestamp: Timestamp(milliseconds: timestamp), event: event,
                state: state, watermarkHeader: clock)
        }
    }

    private static let url = Checkout.root.appendingPathComponent("Tests/Stored/previous.ndjson")
    private static let topics = ["driver.locations", "trip.etas", "rider.updates"]
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private static let memory = EtaPartition.memorySeconds

    // MARK: Scenario: a driver on a ride, and one with mocked positions

    private static func location(_ driver: String, at second: Int, sequence: Int? = nil, isMock: Bool = false)
        -> RecordedTopic.Record
    {
        let at = start.advanced(bySeconds: Double(second))
        let taken = start.advanced(bySeconds: Double((sequence ?? second + 1) - 1))
        let latitude = 48.1 + Double((sequence ?? second + 1) - 1) * 0.0001
        let value = """
            {"type":"location","sequence":\(sequence ?? second + 1),"payload":{"latitude":\(latitude),"longitude":11.5,\
            "accuracy_meters":\(5 + (sequence ?? second + 1) % 4),"speed_mps":11.1,"timestamp":\(taken.milliseconds),\
            "trip_id":"trip_1","is_mock":\(isMock)}}
            """
        return .init(key: Array(driver.utf8), value: Array(value.utf8), timestamp: at)
    }

    private static func trip(_ state: String, at seconds: Double) -> RecordedTopic.Record {
        let at = start.advanced(bySeconds: seconds)
        let value = """
            {"trip_id":"trip_1","driver_id":"honest","state":"\(state)","changed_at":\(at.milliseconds),"stops":[\
            {"stop_id":"dropoff","kind":"DROPOFF","latitude":48.2,"longitude":11.5}]}
            """
        return .init(key: Array("honest".utf8), value: Array(value.utf8), timestamp: at)
    }

    private static let trips = RecordedTopic(records: [trip("IN_PROGRESS", at: 2.5)])

    private static var raw: RecordedTopic {
        RecordedTopic(
            records: (0..<70).flatMap {
                [location("honest", at: $0), location("forger", at: $0, isMock: $0 > 5)]
            })
    }

    /// Writes the last records of the three changelogs with the current code.
    private static func write() throws {
        let etas = EtaPartition(raw: raw, trips: trips)
        let changelogs = [
            LocationPartition().run(raw)[0], etas.run().changelog,
            BroadcastPartition(etas: etas.run().changelog).resume(from: RecordedTopic()),
        ]
        var text = ""
        for (topic, changelog) in zip(topics, changelogs) {
            for record in changelog.records.suffix(6) {
                let line = Line(
                    topic: topic, key: String(decoding: record.key, as: UTF8.self),
                    timestamp: record.timestamp.milliseconds, clock: record.watermarkHeader, state: record.state)
                text += String(decoding: try JSONEncoder().encode(line), as: UTF8.self) + "\n"
            }
        }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private static func stored(_ topic: String) throws -> RecordedTopic {
        if ProcessInfo.processInfo.environment["SIGHTLINE_TEST_WRITE_CHANGELOGS"] != nil { try write() }
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        let records = try lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        return RecordedTopic(records: records.filter { $0.topic == topic }.map { $0.record() })
    }

    /// Restores a processor from the stored records of a topic.
    private static func restore(_ runner: inout InMemoryRunner, _ topic: String) throws {
        let stored = try stored(topic)
        #expect(stored.records.count == 6)
        for offset in stored.records.indices {
            stored.with(offset, input: 0) { record, header in runner.restore(record, watermarkHeader: header) }
        }
        runner.finishRestore()
        runner.drainOutputs { _ in }
        #expect(runner.versionMismatch == nil)
    }

    /// Returns the verdicts of the restored location processor for later records.
    private static func verdicts() throws -> RecordedTopic {
        let settings = TrackingSettings()
        let processor = LocationProcessor(partition: 0, settings: settings)
        var runner = InMemoryRunner(layout: LocationProcessor.layout(settings: settings), processor: processor)
        try restore(&runner, topics[0])
        #expect(processor.unreadable == UnreadableStates())
        // Records before the position are those of the scenario.
        var input = raw
        input.records += [
            location("honest", at: 70, sequence: 70), location("honest", at: 70), location("forger", at: 70),
        ]
        var verdicts = RecordedTopic()
        for offset in Int(runner.positions[0])..<input.records.count {
            input.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.drainOutputs { if $0.topic == 0 { verdicts.append($0) } }
        }
        return verdicts
    }

    @Test("a flag persists, and a repeated fix is a duplicate")
    func drivers() throws {
        let texts = try Self.verdicts().texts
        #expect(texts.count == 3)
        #expect(texts.first?.contains(#""verdict":"duplicate""#) == true)
        #expect(texts[1].contains(#""verdict":"accepted""#))
        #expect(texts.last?.contains("FLAGGED") == true)
    }

    @Test("a trip's progress continues, and riders get no repeated updates")
    func trips() throws {
        var eta = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: Self.memory),
            processor: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: Self.memory))
        try Self.restore(&eta, Self.topics[1])
        let positions = eta.positions
        Self.trips.with(0, input: 1) { record, _ in eta.replay(record) }
        // Appends to the topic after the processed verdicts.
        var verdicts = RecordedTopic(
            records: Array(repeating: .init(key: [], timestamp: Self.start), count: Int(positions[0])))
        verdicts.records += try Self.verdicts().records
        var etas = RecordedTopic()
        for offset in Int(positions[0])..<verdicts.records.count {
            verdicts.with(offset, input: 0) { record, _ in eta.process(record) }
            eta.drainOutputs { if $0.topic == 0 { etas.append($0) } }
        }
        RecordedTopic(records: Self.trips.records + [Self.trip("COMPLETED", at: 71)]).with(1, input: 1) { record, _ in
            eta.process(record)
        }
        eta.drainOutputs { if $0.topic == 0 { etas.append($0) } }
        let last = try #require(etas.texts.last)
        let driven = try #require(last.firstMatch(of: /"driven_meters":([0-9]+)/)?.output.1)
        #expect(Int(driven).map { $0 > 500 } ?? false, "\(last)")

        var broadcast = InMemoryRunner(
            layout: BroadcastProcessor.layout(memorySeconds: Self.memory),
            processor: BroadcastProcessor(partition: 0, settings: BroadcastSettings(), memorySeconds: Self.memory))
        try Self.restore(&broadcast, Self.topics[2])
        var published: [String] = []
        let next = Int(broadcast.positions[0]) + 1
        for (index, record) in etas.records.enumerated() {
            let one = RecordedTopic(records: Array(repeating: record, count: next + index + 1))
            one.with(next + index, input: 0) { record, _ in broadcast.process(record) }
            broadcast.drainOutputs { published.append($0.value?.string ?? "") }
        }
        // Only the last state is new.
        #expect(published.filter { $0.contains("trip_state_changed") }.count == 1, "\(published)")
    }
}
