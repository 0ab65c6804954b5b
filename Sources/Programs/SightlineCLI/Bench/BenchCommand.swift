import ArgumentParser
import Foundation
import Recordings

/// `sightline bench`: how fast the workers are, side by side with what bounds them.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure throughput, latency and memory of the workers.",
        discussion: """
            Needs a broker, Redis and Postgres of no other use (deploy/bench starts them) and the workers' programs beside \
            this one. Everything is written under topics, keys and a database of its own and removed again. Ratios compare \
            with a ceiling that is measured in the same repetition; figures are medians.

            Names: passthrough (the client library alone, consuming and producing the same bytes), location, eta, \
            broadcast (a worker on a backlog), history (against psql \\copy), position (against redis-benchmark), latency \
            (raw record to rider update with all workers running), memory and restore (by fleet size), scale (1, 2 and 4 \
            location workers), core (without Kafka), peers (Quix Streams and Bytewax beside the location worker).
            """)

    @Argument(help: "What to measure; everything but peers unless given.")
    var names: [BenchName] = BenchName.usual

    @Option(help: "Also write the figures as JSON to this file; - is standard output.", completion: .file())
    var json: String?

    @Option(help: "Records of a backlog.")
    var records = 1_000_000

    @Option(help: "Drivers of the usual backlog.")
    var drivers = 5_000

    @Option(help: "Drivers of the large backlog, which is measured once.")
    var manyDrivers = 200_000

    @Option(help: "Partitions of every topic.")
    var partitions = 6

    @Option(help: "How often throughput is measured.")
    var repetitions = 5

    @Option(help: "Seconds for which latencies are measured, per rate.")
    var latencySeconds = 10.0

    @Option(parsing: .upToNextOption, help: "Updates per second at which latencies are measured.")
    var rates = [500, 2_000, 5_000]

    @Flag(help: "Measure latencies on the client library's mock cluster, which answers at once, instead of a broker.")
    var mockBroker = false

    @Option(parsing: .upToNextOption, help: "Fleets whose memory is measured; the last one's state is restored.")
    var fleets = [1_000, 100_000, 1_000_000]

    func validate() throws {
        if records < 10_000 { throw ValidationError("--records is at least 10000: less tells nothing.") }
        if fleets.isEmpty || fleets.contains(where: { $0 < 1 }) {
            throw ValidationError("--fleets are one or more numbers of drivers.")
        }
        if drivers < 1 || manyDrivers < 1 { throw ValidationError("--drivers and --many-drivers are at least 1.") }
        if !(1...1000).contains(partitions) { throw ValidationError("--partitions is 1 to 1000.") }
        if !(1...100).contains(repetitions) { throw ValidationError("--repetitions is 1 to 100.") }
        if rates.isEmpty || rates.contains(where: { $0 < 1 }) { throw ValidationError("--rates are at least 1.") }
        if latencySeconds < 1 { throw ValidationError("--latency-seconds is at least 1.") }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "sightline-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var plan = BenchPlan()
        plan.records = records
        plan.drivers = drivers
        plan.manyDrivers = manyDrivers
        plan.partitions = partitions
        plan.repetitions = repetitions
        plan.latencySeconds = latencySeconds
        plan.updatesPerSecond = rates
        plan.usesMockBroker = mockBroker
        plan.fleetSizes = fleets
        let session = BenchSession(plan: plan, names: Set(names.map(\.rawValue)), folder: folder.path)
        let results = try session.run { StandardError.write("\($0)\n") }
        if json != "-" { print(BenchTable.text(of: results), terminator: "") }
        if let json { try write(results, to: json) }
        if results.contains(where: { $0.error != nil }) { throw ExitCode.failure }
    }

    private func write(_ results: [BenchResult], to path: String) throws {
        let data = try ReportFile.json(results)
        if path == "-" {
            FileHandle.standardOutput.write(data)
            return
        }
        try ReportFile.write(data, to: path)
    }
}
