import Foundation
import Recordings
import SightlineCLI

/// Other stream processors doing the work of location-worker's core, and location-worker itself on the same backlog.
struct PeerBench {
    /// A framework, and its program in Benchmarks/peers.
    struct Peer {
        var name: String
        var program: String
    }

    /// What a peer's program prints at its end.
    private struct Report: Decodable {
        var records: Double
        var seconds: Double
        var cpuSeconds: Double

        enum CodingKeys: String, CodingKey {
            case records, seconds
            case cpuSeconds = "cpu_seconds"
        }
    }

    static let peers = [
        Peer(name: "quix_streams", program: "quix_peer.py"), Peer(name: "bytewax", program: "bytewax_peer.py"),
    ]
    private static let folder = "Tools/Benchmarks/peers"

    let plan: BenchPlan
    let folder: String
    let progress: (String) -> Void

    func run(_ access: PipelineAccess) throws -> [BenchResult] {
        guard FileManager.default.fileExists(atPath: Self.folder) else {
            throw InputError("\(Self.folder) is not here; peers are measured by `deploy/bench peers`.")
        }
        var own = BenchRuns()
        var others = Self.peers.map { _ in BenchRuns() }
        // location-worker's rate over each one's, per repetition.
        var timesAsFast = Self.peers.map { _ in [Double]() }
        for repetition in 1...plan.repetitions {
            progress("peers, \(repetition) of \(plan.repetitions)")
            try BenchStage.with(access, plan: plan, name: "peers", folder: folder) { stage in
                try stage.fill(records: plan.records, drivers: plan.drivers, withTrips: false)
                let throughput = try stage.throughput(of: "location-worker", topic: .rawLocations)
                own.add(throughput)
                for (index, peer) in Self.peers.enumerated() {
                    progress(peer.name)
                    let report = try report(of: peer, on: stage)
                    others[index].add(
                        report.records / report.seconds, cpuMicroseconds: report.cpuSeconds * 1e6 / report.records)
                    timesAsFast[index].append(throughput.ratePerSecond * report.seconds / report.records)
                }
            }
        }
        return [own.result("peers_location")]
            + Self.peers.indices.map { index in
                var result = others[index].result("peers_\(Self.peers[index].name)")
                let times = timesAsFast[index].median
                result.values["location_worker_times_as_fast"] = times
                result.target = "location-worker at least 10 times as fast"
                result.isReached = (times ?? 0) >= 10
                return result
            }
    }

    private func report(of peer: Peer, on stage: BenchStage) throws -> Report {
        try stage.stop.check()
        let text = try BenchTool.run(
            "python3", ["-W", "ignore", "\(Self.folder)/\(peer.program)"],
            environment: [
                "KAFKA_BOOTSTRAP_SERVERS": stage.access.kafka.bootstrapServers,
                "PEER_INPUT": stage.topic(.rawLocations), "PEER_OUTPUT": stage.scratch,
                "PEER_COUNT": String(plan.records),
            ])
        guard let line = text.split(separator: UInt8(ascii: "\n")).last,
            let report = try? JSONDecoder().decode(Report.self, from: line), report.records > 0, report.seconds > 0
        else { throw InputError("\(peer.program) failed; what it said stands above.") }
        return report
    }
}
