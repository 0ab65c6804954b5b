import ArgumentParser
import Foundation
import Runtime
import SightlineCLI

/// A part that can be measured separately.
enum BenchName: String, CaseIterable, ExpressibleByArgument {
    case passthrough, location, eta, broadcast, history, position, latency, memory, restore, scale, core, peers, gateway

    /// The default parts: all parts that need no other stream processors and no Python packages.
    static let usual = allCases.filter { ![.peers, .gateway].contains($0) }
}

/// The command `sightline bench`, which measures the workers and their limits.
package struct BenchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure throughput, latency and memory of the workers.",
        discussion: """
            Requires a broker, Redis and Postgres that nothing else uses (deploy/bench starts them), and the workers' \
            programs in the folder of this one. Creates its own topics, keys and database, and removes them at the \
            end. A ratio compares a rate with that of a limit in the same repetition; figures are medians. A part that \
            fails is reported with its error, and the exit code is 1 at the end.

            Names: passthrough (only the client library, consuming and producing the same bytes), location, eta, \
            broadcast (a worker on a backlog), history (compared with psql \\copy), position (compared with \
            redis-benchmark), latency (raw record to rider update with all workers running), memory (by fleet size), \
            restore (of the last fleet size), scale (1, 2 and 4 location workers), core (without Kafka), peers (Quix \
            Streams, Bytewax and, with the jars in PEER_STREAMS_JARS or KAFKA_HOME, Kafka Streams compared with the \
            location worker), gateway (memory, pushes, latency and reconnections of rider-gateway compared with a \
            plain WebSocket server in Python). broker_bytes in the results are the compressed bytes per record.
            """)

    package init() {}

    @Argument(help: "Parts to measure; by default all but peers and gateway.")
    var names: [BenchName] = BenchName.usual

    @Option(help: "Also write the figures to this file, as JSON; - is standard output.", completion: .file())
    var json: String?

    @OptionGroup var plan: BenchPlan

    package func run() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "sightline-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = BenchSession(plan: plan, names: Set(names), folder: folder.path)
        let results = session.run()
        if json != "-" { print(BenchTable.text(of: results), terminator: "") }
        if let json {
            let data = try ReportFile.json(results)
            if json == "-" { FileHandle.standardOutput.write(data) } else { try ReportFile.write(data, to: json) }
        }
        if results.contains(where: { $0.error != nil }) { throw ExitCode.failure }
    }
}
