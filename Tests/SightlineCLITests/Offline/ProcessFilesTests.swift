import ArgumentParser
import ChildProcesses
import Foundation
import TestSupport
import Testing

@testable import Processors
@testable import Domain
@testable import Processing
@testable import Recordings
@testable import SightlineCLI
@testable import Simulation
@testable import Support

@Suite("sightline process", .blocking)
struct ProcessFilesTests {
    /// One record of a topic in memory.
    private struct Record {
        var key: [UInt8]
        var value: [UInt8]
        var at: Timestamp
        var input = 0

        func with(offset: Int, _ body: (InputRecord) -> Void) {
            key.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    body(
                        InputRecord(
                            input: input, partition: 0, offset: Int64(offset), timestamp: at, key: ByteSlice(key),
                            value: ByteSlice(value)))
                }
            }
        }
    }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("process-\(UUID().uuidString)")

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func lines(_ name: String) throws -> [String] {
        try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Writes the raw records and trip messages of a simulated fleet.
    private func simulate(seed: UInt64) throws {
        let start = Timestamp(milliseconds: 1_770_000_000_000)
        var fleet = FleetSimulation(configuration: FleetConfiguration(drivers: 12, seed: seed, start: start))
        var raw = Data()
        var trips = Data()
        fleet.advance(to: start.advanced(bySeconds: 240)) { event in
            switch event {
            case .rawRecord(let record): raw.append(contentsOf: record.value + [10])
            case .tripMessage(let record): if let value = record.value { trips.append(contentsOf: value + [10]) }
            }
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try raw.write(to: folder.appendingPathComponent("raw.ndjson"))
        try trips.write(to: folder.appendingPathComponent("trips.ndjson"))
    }

    @Test("all verdicts before the end of a damaged file are written")
    func damagedFile() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try simulate(seed: 3)
        try ProcessFiles.parse(["--input", path("raw.ndjson"), "--output", path("all.ndjson")]).run()
        let ending = try ChildProcess.run("gzip", [path("raw.ndjson")]).ending
        #expect(ending == .exit(0))
        let packed = folder.appendingPathComponent("raw.ndjson.gz")
        // Without the checksum at the end, all records can be read.
        try Data(try Data(contentsOf: packed).dropLast(8)).write(to: packed)
        #expect(throws: InputError.self) {
            try ProcessFiles.parse(["--input", packed.path, "--output", path("verdicts.ndjson")]).run()
        }
        #expect(try lines("verdicts.ndjson") == lines("all.ndjson"))
    }

    private func process(_ options: [String]) throws {
        try ProcessFiles.parse(
            ["--input", path("raw.ndjson"), "--output", path("verdicts.ndjson"), "--trips", path("trips.ndjson")]
                + options
        ).run()
    }

    /// Runs a processor over records; calls `before` with each input, then `emit` with its changelog records.
    private func run(
        _ runner: consuming InMemoryRunner, _ records: [Record], before: (Record) -> Void = { _ in },
        _ emit: (Record) -> Void
    ) {
        var offsets = [0, 0]
        runner.finishRestore()
        for record in records {
            before(record)
            record.with(offset: offsets[record.input]) { runner.process($0) }
            offsets[record.input] += 1
            runner.drainOutputs { output in
                guard output.topic == 0 else { return }
                emit(
                    Record(
                        key: Array(output.key.buffer), value: output.value.map { Array($0.buffer) } ?? [],
                        at: output.timestamp))
            }
        }
    }

    /// Returns trip.etas and rider.updates if each processor runs over the whole output of the previous one.
    private func stageByStage() throws -> (etas: [String], updates: [String]) {
        let tracking = TrackingSettings()
        let memory = tracking.memorySeconds
        var raw: [Record] = []
        try RecordedFile(path: path("raw.ndjson")).forEach {
            raw.append(Record(key: Array(($0.key ?? "").utf8), value: $0.value, at: $0.at))
        }
        var timeline = try TripTimeline(path: path("trips.ndjson"))
        var joined: [Record] = []
        func joinTrips(upTo time: Timestamp?) {
            while let trip = timeline.next(upTo: time) {
                joined.append(Record(key: Array(trip.driverID.utf8), value: trip.value, at: trip.at, input: 1))
            }
        }
        run(
            InMemoryRunner(
                layout: LocationProcessor.layout(settings: tracking),
                processor: LocationProcessor(partition: 0, settings: tracking)
            ),
            raw, before: { joinTrips(upTo: $0.at) }, { joined.append($0) })
        joinTrips(upTo: nil)
        var etas: [Record] = []
        run(
            InMemoryRunner(
                layout: EtaProcessor.layout(memorySeconds: memory),
                processor: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: memory)), joined
        ) { etas.append($0) }
        var updates: [Record] = []
        run(
            InMemoryRunner(
                layout: BroadcastProcessor.layout(memorySeconds: memory),
                processor: BroadcastProcessor(partition: 0, settings: BroadcastSettings(), memorySeconds: memory)), etas
        ) { updates.append($0) }
        func texts(_ records: [Record]) -> [String] { records.map { String(decoding: $0.value, as: UTF8.self) } }
        return (texts(etas), texts(updates))
    }

    @Test("--etas and --updates equal the outputs of processors run one after the other, also when repeated")
    func updates() throws {
        let seed: UInt64 = 71
        try simulate(seed: seed)
        defer { try? FileManager.default.removeItem(at: folder) }
        try process(["--etas", path("etas.ndjson"), "--updates", path("updates.ndjson")])
        let actual = try lines("updates.ndjson")
        let expected = try stageByStage()
        #expect(try lines("etas.ndjson") == expected.etas, "seed \(seed)")
        #expect(actual == expected.updates, "seed \(seed)")
        let types = ["driver_location", "eta_update", "trip_state_changed", "vehicle_position"].filter { type in
            actual.contains { $0.contains("\"type\":\"\(type)\"") }
        }
        #expect(types.count > 1, "seed \(seed): \(types) of \(actual.count)")
        try process(["--updates", path("again.ndjson")])
        #expect(try lines("again.ndjson") == actual, "seed \(seed)")
    }

    @Test(
        "conflicting options throw an error with a remedy",
        arguments: [
            (["--updates", "u"], "--updates needs --trips with a file of trip messages."),
            (["--etas", "e"], "--etas needs --trips with a file of trip messages."),
            (["--trips", "t"], "--trips needs --etas, --updates or both."),
            (
                ["--trips", "-", "--etas", "e"],
                "Only one of --input and --trips can be standard input."
            ),
            (
                ["--trips", "t", "--updates", "-"],
                "Two outputs go to standard output: use a separate file for each."
            ),
            (
                ["--trips", "t", "--updates", "u", "--etas", "u"],
                "Two outputs go to u: use a separate file for each."
            ),
        ])
    func conflicts(options: [String], sentence: String) {
        #expect {
            _ = try ProcessFiles.parse(options)
        } throws: {
            ProcessFiles.message(for: $0).contains(sentence)
        }
    }
}
