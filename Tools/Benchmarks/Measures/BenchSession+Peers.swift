import Foundation
import Recordings
import SightlineCLI

/// Other stream processors (peers) with a simplified version of the location worker's
/// core, on the same backlog.
extension BenchSession {
    /// Output of a peer's program.
    private struct PeerReport: Decodable {
        var records: Double
        var seconds: Double
        var cpuSeconds: Double
    }

    private static let peerPrograms = [("quix_streams", "quix_peer.py"), ("bytewax", "bytewax_peer.py")]
    private static let peerFolder = "Tools/Benchmarks/peers"

    func peers(_ access: PipelineAccess) throws -> [BenchResult] {
        guard FileManager.default.fileExists(atPath: Self.peerFolder) else {
            throw InputError("\(Self.peerFolder) does not exist here. Run: deploy/bench peers")
        }
        var own = BenchRuns()
        var others = Self.peerPrograms.map { _ in BenchRuns() }
        // The location worker's rate divided by the peer's, per repetition.
        var timesAsFast = Self.peerPrograms.map { _ in [Double]() }
        for repetition in 1...plan.repetitions {
            progress("peers, \(repetition) of \(plan.repetitions)")
            try Testbed.with(access, plan: plan, name: "peers", folder: folder) { testbed in
                try testbed.fill(records: plan.records, drivers: plan.drivers, withTrips: false)
                let throughput = try testbed.throughput(of: "location-worker", topic: .rawLocations)
                own.add(throughput)
                for (index, (name, program)) in Self.peerPrograms.enumerated() {
                    progress(name)
                    let report = try report(of: program, on: testbed)
                    others[index].add(
                        report.records / report.seconds, cpuMicroseconds: report.cpuSeconds * 1e6 / report.records)
                    timesAsFast[index].append(throughput.ratePerSecond * report.seconds / report.records)
                }
            }
        }
        return [own.result("peers_location")]
            + Self.peerPrograms.indices.map { index in
                var result = others[index].result("peers_\(Self.peerPrograms[index].0)")
                let times = timesAsFast[index].median
                result.values["location_worker_times_as_fast"] = times
                result.target = "location-worker at least 10 times as fast"
                result.isReached = (times ?? 0) >= 10
                return result
            }
    }

    private func report(of program: String, on testbed: Testbed) throws -> PeerReport {
        try testbed.stop.check()
        let text = try BenchTool.run(
            "python3", ["-W", "ignore", "\(Self.peerFolder)/\(program)"],
            environment: [
                "KAFKA_BOOTSTRAP_SERVERS": testbed.access.kafka.bootstrapServers,
                "PEER_INPUT": testbed.topic(.rawLocations), "PEER_OUTPUT": testbed.scratch,
                "PEER_COUNT": String(plan.records),
            ])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let line = text.split(separator: UInt8(ascii: "\n")).last,
            let report = try? decoder.decode(PeerReport.self, from: line), report.records > 0, report.seconds > 0
        else { throw InputError("\(program) printed no report; see its output above.") }
        return report
    }
}
