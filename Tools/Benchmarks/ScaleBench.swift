import Foundation
import Recordings
import SightlineCLI

/// One, two and four location workers in a group on the same backlog.
///
/// A worker keeps nearly two cores busy, and the broker one for each. So that the broker does not limit two of them,
/// each worker has one core of its own where there are four or more.
struct ScaleBench {
    let plan: BenchPlan
    let folder: String
    let progress: (String) -> Void

    func run(_ access: PipelineAccess) throws -> BenchResult {
        var result = BenchResult("scale")
        result.values["cores_per_worker"] = cores >= 4 ? 1 : Double(cores)
        for count in [1, 2, 4] {
            progress("\(count) location \(count == 1 ? "worker" : "workers")")
            let throughput = try BenchStage.with(access, plan: plan, name: "scale", folder: folder) { stage in
                try measure(stage, count: count)
            }
            result.values["rate_per_second_at_\(count)"] = throughput.ratePerSecond
            result.values["cpu_us_per_update_at_\(count)"] = throughput.cpuMicrosecondsPerRecord
        }
        let gain = (result.values["rate_per_second_at_2"] ?? 0) / (result.values["rate_per_second_at_1"] ?? .infinity)
        result.values["gain_at_2"] = gain
        result.target = "at least 1.8 times with 2 workers"
        result.isReached = gain >= 1.8
        return result
    }

    private var cores: Int { ProcessInfo.processInfo.activeProcessorCount }

    private func measure(_ stage: BenchStage, count: Int) throws -> Throughput {
        // They sleep while the backlog is written, some seconds, and are to be members of the group all the same. More
        // patience costs time: the local broker gives out the partitions after half of it.
        let patience = ["KAFKA_SESSION_TIMEOUT_MS": "20000"]
        let workers = try (0..<count).map { index in
            try stage.worker("location-worker", patience, core: cores >= 4 ? index : nil)
        }
        try waitUntilShared(workers)
        // All partitions are held before the first record comes: what is measured is work and no joining.
        for worker in workers { worker.suspend() }
        // One that sleeps does not hear that it is to end.
        defer { for worker in workers { worker.resume() } }
        try stage.fill(records: plan.records, drivers: plan.drivers, withTrips: false)
        for worker in workers { worker.resume() }
        return try Throughput.watch(workers, counter: "sightline_records_in_total", count: plan.records)
    }

    private func waitUntilShared(_ workers: [MeasuredWorker]) throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(60)
        while clock.now < deadline {
            Thread.sleep(forTimeInterval: 0.1)
            let held = try workers.map { try $0.sample()?.metrics.sum("sightline_partitions_assigned") ?? 0 }
            if held.reduce(0, +) == Double(plan.partitions), held.allSatisfy({ $0 > 0 }) { return }
        }
        throw InputError("The partitions were not shared among \(workers.count) workers within 60 s.")
    }
}
