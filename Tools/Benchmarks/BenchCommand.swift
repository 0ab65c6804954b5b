import ArgumentParser
import Foundation
import Runtime
import SightlineCLI

/// `sightline bench`: how fast the workers are, side by side with what bounds them.
package struct BenchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure throughput, latency and memory of the workers.",
        discussion: """
            Needs a broker, Redis and Postgres of no other use (deploy/bench starts them) and the workers' programs beside \
            this one. Everything is written under topics, keys and a database of its own and removed again. Ratios compare \
            with a ceiling that is measured in the same repetition; figures are medians.

            Names: passthrough (the client library alone, consuming and producing the same bytes), location, eta, \
            broadcast (a worker on a backlog), history (against psql \\copy), position (against redis-benchmark), latency \
            (raw record to rider update with all workers running), memory and restore (by fleet size), scale (1, 2 and 4 \
            location workers), core (without Kafka), peers (Quix Streams and Bytewax beside the location worker), gateway (memory, \
            pushes, latency and reconnections of rider-gateway beside a plain WebSocket server in Python).
            """)

    package init() {}

    @Argument(help: "What to measure; everything but peers and gateway unless given.")
    var names: [BenchName] = BenchName.usual

    @Option(help: "Also write the figures as JSON to this file; - is standard output.", completion: .file())
    var json: String?

    @OptionGroup var plan: BenchPlan

    package func run() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "sightline-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
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
