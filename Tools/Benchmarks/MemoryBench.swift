import Foundation
import Recordings
import SightlineCLI

/// Resident memory of the location worker by fleet, how long its state takes to restore, and what a record costs then.
struct MemoryBench {
    let plan: BenchPlan
    let folder: String
    let progress: (String) -> Void

    func run(_ access: PipelineAccess) throws -> [BenchResult] {
        var memory = BenchResult("memory")
        var restore = BenchResult("restore")
        var isWithin = true
        for drivers in plan.fleets {
            progress("memory at \(drivers) drivers")
            var plan = plan
            plan.records = max(drivers, 200_000)
            try BenchStage.with(access, plan: plan, name: "memory", folder: folder) { stage in
                let (resident, cpu) = try measure(stage, drivers: drivers)
                memory.values["resident_mb_at_\(drivers)_drivers"] = resident / 1e6
                memory.values["cpu_us_per_update_at_\(drivers)_drivers"] = cpu
                isWithin = isWithin && resident <= 60e6 + 400 * Double(drivers)
                guard drivers == plan.fleets.last else { return }
                progress("restore of \(drivers) drivers")
                restore.values["drivers"] = Double(drivers)
                do { restore.values["seconds"] = try restoreSeconds(stage) } catch { restore.error = "\(error)" }
            }
        }
        memory.target = "at most 60 MB + 400 bytes × drivers"
        memory.isReached = isWithin
        restore.target = "at most 6 s"
        restore.isReached = (restore.values["seconds"] ?? .infinity) <= 6
        return [memory, restore]
    }

    /// Resident memory once a backlog of the fleet is worked off, and what a record of it took, in µs.
    private func measure(_ stage: BenchStage, drivers: Int) throws -> (bytes: Double, cpuMicroseconds: Double) {
        try stage.fill(records: stage.plan.records, drivers: drivers, withTrips: false)
        let worker = try stage.worker("location-worker")
        defer { worker.stop() }
        let throughput = try Throughput.watch(
            [worker], counter: "sightline_records_in_total", count: stage.plan.records)
        return (try settle(worker) ?? throughput.residentBytes, throughput.cpuMicrosecondsPerRecord)
    }

    /// Memory once the backlog's buffers are gone.
    private func settle(_ worker: MeasuredWorker) throws -> Double? {
        var last: Double?
        for _ in 0..<30 {
            Thread.sleep(forTimeInterval: 0.1)
            guard let now = try worker.sample()?.metrics.sum("process_resident_memory_bytes") else { continue }
            last = now
        }
        return last
    }

    /// From the assignment of the partitions to their first record, by the worker's own histogram.
    private func restoreSeconds(_ stage: BenchStage) throws -> Double {
        let worker = try stage.worker("location-worker")
        defer { worker.stop() }
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(120)
        while clock.now < deadline {
            Thread.sleep(forTimeInterval: 0.02)
            guard let sample = try worker.sample() else { continue }
            // One assignment after the other, should the group not give out all partitions at once.
            let restored = sample.metrics.sum("sightline_restore_duration_seconds_count")
            guard restored > 0, Int(sample.metrics.sum("sightline_partitions_assigned")) >= plan.partitions else {
                continue
            }
            return sample.metrics.sum("sightline_restore_duration_seconds_sum")
        }
        throw InputError("The partitions were not restored within 120 s.")
    }
}
