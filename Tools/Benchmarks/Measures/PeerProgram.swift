import Foundation
import Recordings

/// A program of another stream processor.
struct PeerProgram {
    /// Folder of the programs' sources, below that of the checkout.
    static let sources = "Tools/Benchmarks/peers"

    /// Name of its result, without the prefix of all peers.
    var name: String
    var program: String
    var arguments: [String]
    var environment: [String: String] = [:]

    var resultName: String { "peers_\(name)" }

    static let python = [("quix_streams", "quix_peer.py"), ("bytewax", "bytewax_peer.py")].map { name, file in
        PeerProgram(name: name, program: "python3", arguments: ["-W", "ignore", "\(sources)/\(file)"])
    }

    /// The last line that a program prints.
    struct Report: Decodable {
        var records: Double
        var seconds: Double
        var cpuSeconds: Double

        var ratePerSecond: Double { records / seconds }
        var cpuMicrosecondsPerRecord: Double { cpuSeconds * 1e6 / records }

        /// Reads the last line of a program's output; `nil` if it is no report.
        init?(lastLineOf output: Data) {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            guard let line = output.split(separator: UInt8(ascii: "\n")).last,
                let report = try? decoder.decode(Report.self, from: line), report.records > 0, report.seconds > 0
            else { return nil }
            self = report
        }
    }

    /// Runs the program on a testbed's backlog; the scratch topic receives its output.
    /// - Throws: ``InputError`` if it fails or prints no report.
    func run(on testbed: Testbed) throws -> Report {
        try testbed.stop.check()
        let settings = [
            "KAFKA_BOOTSTRAP_SERVERS": testbed.access.kafka.bootstrapServers,
            "PEER_INPUT": testbed.topic(.rawLocations), "PEER_OUTPUT": testbed.scratch,
            "PEER_COUNT": String(testbed.plan.records),
        ]
        let output = try BenchTool.run(program, arguments, environment: settings.merging(environment) { $1 })
        guard let report = Report(lastLineOf: output) else {
            throw InputError("\(name) printed no report; see its output above.")
        }
        return report
    }
}
