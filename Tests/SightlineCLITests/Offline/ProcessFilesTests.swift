import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import ArrivalTimes
@testable import BroadcastWorker
@testable import EtaWorker
@testable import LocationWorker
@testable import Processing
@testable import RiderUpdates
@testable import SightlineCLI
@testable import Simulation
@testable import SpoofDetection
@testable import Support

@Suite("The whole pipeline over files", .blocking)
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

    /// Writes what a simulated fleet sends.
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

    private func process(_ options: [String]) throws {
        try ProcessFiles.parse(
            ["--input", path("raw.ndjson"), "--output", path("verdicts.ndjson"), "--trips", path("trips.ndjson")]
                + options
        ).run()
    }

    /// What a stage writes to its changelog for `records`, one by one; `before` is called before each.
    private func run(
        _ runner: consuming InMemoryRunner, _ records: [Record], before: (Record) -> Void = { _ in },
        _ take: (Record) -> Void
    ) {
        var offsets = [0, 0]
        runner.finishRestore()
        for record in records {
            before(record)
            record.with(offset: offsets[record.input]) { runner.process($0) }
            offsets[record.input] += 1
            runner.takeOutputs { output in
                guard output.topic == 0 else { return }
                take(
                    Record(
                        key: Array(output.key.buffer), value: output.value.map { Array($0.buffer) } ?? [],
                        at: output.timestamp))
            }
        }
    }

    /// The texts of trip.etas and rider.updates for the same files: each stage runs over the whole topic that the stage
    /// before it has written.
    private func stageByStage() throws -> (etas: [String], updates: [String]) {
        let tracking = TrackingSettings()
        let memory = tracking.memorySeconds
        var raw: [Record] = []
        try RecordedFile(path: path("raw.ndjson")).forEach {
            raw.append(Record(key: Array(($0.key ?? "").utf8), value: $0.value, at: $0.at))
        }
        var timeline = try TripTimeline(path: path("trips.ndjson"))
        var joined: [Record] = []
        func takeTrips(upTo time: Timestamp?) {
            while let trip = timeline.next(upTo: time) {
                joined.append(Record(key: Array(trip.driverID.utf8), value: trip.value, at: trip.at, input: 1))
            }
        }
        run(
            InMemoryRunner(
                layout: LocationProcessor.layout(settings: tracking),
                stage: LocationProcessor(partition: 0, settings: tracking)
            ),
            raw, before: { takeTrips(upTo: $0.at) }, { joined.append($0) })
        takeTrips(upTo: nil)
        var etas: [Record] = []
        run(
            InMemoryRunner(
                layout: EtaProcessor.layout(memorySeconds: memory),
                stage: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: memory)), joined
        ) { etas.append($0) }
        var updates: [Record] = []
        run(
            InMemoryRunner(
                layout: BroadcastProcessor.layout(memorySeconds: memory),
                stage: BroadcastProcessor(partition: 0, settings: BroadcastSettings(), memorySeconds: memory)), etas
        ) { updates.append($0) }
        func texts(_ records: [Record]) -> [String] { records.map { String(decoding: $0.value, as: UTF8.self) } }
        return (texts(etas), texts(updates))
    }

    @Test("--updates writes what riders are told, as the three stages do one after the other, and the same each time")
    func updates() throws {
        let seed: UInt64 = 71
        try simulate(seed: seed)
        defer { try? FileManager.default.removeItem(at: folder) }
        try process(["--etas", path("etas.ndjson"), "--updates", path("updates.ndjson")])
        let found = try lines("updates.ndjson")
        let wanted = try stageByStage()
        #expect(try lines("etas.ndjson") == wanted.etas, "seed \(seed)")
        #expect(found == wanted.updates, "seed \(seed)")
        let types = ["driver_location", "eta_update", "trip_state_changed", "vehicle_position"].filter { type in
            found.contains { $0.contains("\"type\":\"\(type)\"") }
        }
        #expect(types.count > 1, "seed \(seed): \(types) of \(found.count)")
        try process(["--updates", path("again.ndjson")])
        #expect(try lines("again.ndjson") == found, "seed \(seed)")
    }

    @Test(
        "options that do not fit together are refused with a sentence that says what to do",
        arguments: [
            (["--updates", "u"], "--updates is about trips: name the file of trip messages with --trips."),
            (["--etas", "e"], "--etas is about trips: name the file of trip messages with --trips."),
            (["--trips", "t"], "Nothing is written of --trips: name a file with --etas, --updates or both."),
            (
                ["--trips", "-", "--etas", "e"],
                "Only one of --input and --trips can be standard input: name a file for the other."
            ),
            (
                ["--trips", "t", "--updates", "-"],
                "Two outputs go to standard output: name a file of its own for each."
            ),
            (
                ["--trips", "t", "--updates", "u", "--etas", "u"],
                "Two outputs go to u: name a file of its own for each."
            ),
        ])
    func refusals(options: [String], sentence: String) {
        #expect {
            _ = try ProcessFiles.parse(options)
        } throws: {
            ProcessFiles.message(for: $0).contains(sentence)
        }
    }
}
