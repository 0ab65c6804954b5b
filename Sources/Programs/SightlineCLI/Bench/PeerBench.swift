import Foundation
import Pipeline
import Recordings

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

    private struct Runs {
        var rates: [Double] = []
        var cpu: [Double] = []
        /// location-worker's rate over this one's, per repetition.
        var ratios: [Double] = []
    }

    static let peers = [
        Peer(name: "quix_streams", program: "quix_peer.py"), Peer(name: "bytewax", program: "bytewax_peer.py"),
    ]
    private static let folder = "Benchmarks/peers"

    let plan: BenchPlan
    let folder: String
    let progress: (String) -> Void

    func run(_ access: PipelineAccess) throws -> [BenchResult] {
        guard FileManager.default.fileExists(atPath: Self.folder) else {
            throw InputError("\(Self.folder) is not here; peers are measured by `deploy/bench peers`.")
        }
        var own = Runs()
        var others = Self.peers.map { _ in Runs() }
        for repetition in 1...plan.repetitions {
            progress("peers, \(repetition) of \(plan.repetitions)")
            try BenchStage.with(access, plan: plan, name: "peers", folder: folder) { stage in
                try stage.fill(records: plan.records, drivers: plan.drivers, withTrips: false)
                let throughput = try location(on: stage)
                own.rates.append(throughput.ratePerSecond)
                own.cpu.append(throughput.cpuMicrosecondsPerRecord)
                for (index, peer) in Self.peers.enumerated() {
                    progress(peer.name)
                    let report = try report(of: peer, on: stage)
                    others[index].rates.append(report.records / report.seconds)
                    others[index].cpu.append(report.cpuSeconds * 1e6 / report.records)
                    others[index].ratios.append(throughput.ratePerSecond * report.seconds / report.records)
                }
            }
        }
        return [result("peers_location", own)]
            + zip(Self.peers, others).map { peer, runs in
                var result = result("peers_\(peer.name)", runs)
                result.values["location_worker_times_as_fast"] = runs.ratios.median
                result.target = "location-worker at least 10 times as fast"
                result.isReached = (runs.ratios.median ?? 0) >= 10
                return result
            }
    }

    private func location(on stage: BenchStage) throws -> Throughput {
        let worker = try stage.worker("location-worker")
        defer { worker.stop() }
        return try Throughput.watch(
            [worker], counter: "sightline_records_in_total",
            labels: ["topic": PipelineTopic.rawLocations.rawValue], count: plan.records)
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

    private func result(_ name: String, _ runs: Runs) -> BenchResult {
        var result = BenchResult(name)
        result.ratePerSecond = runs.rates.median
        result.rateSpread = runs.rates.spread
        result.cpuUsPerUpdate = runs.cpu.median
        result.repetitions = plan.repetitions
        return result
    }
}
