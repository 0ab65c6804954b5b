import Foundation
import Recordings
import SightlineCLI

/// Measurements of the core, and of the location worker's memory, restore and scaling.
extension BenchSession {
    private struct CoreFigure: Decodable {
        var phase: String
        var nanosecondsPerFix: Double
        var allocationsPerFix: Double
    }

    /// Runs `core-benchmark`, a separate process, so that its allocations can be counted.
    func core() throws -> [BenchResult] {
        let data = try BenchTool.run(BenchTool.program("core-benchmark"), ["--json"])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode([CoreFigure].self, from: data).map { figure in
            var result = BenchResult("core_\(figure.phase)")
            result.values["nanoseconds_per_fix"] = figure.nanosecondsPerFix
            result.allocationsPerUpdate = figure.allocationsPerFix
            if figure.phase == "location" {
                result.target = "at most 1,000 ns, no allocations"
                result.isReached = figure.nanosecondsPerFix <= 1000 && figure.allocationsPerFix < 0.01
            }
            return result
        }
    }

    /// Measures resident memory and processor time by fleet size, and the restore of the last fleet.
    func memory(_ access: PipelineAccess) -> [BenchResult] {
        let failures = makeFailures()
        var memory = BenchResult("memory")
        var restore = BenchResult("restore")
        var isWithin = true
        for drivers in plan.fleets {
            progress("memory at \(drivers) drivers")
            var plan = plan
            plan.records = max(drivers, 200_000)
            let isMeasured = failures.measure("memory", at: "\(drivers) drivers") {
                try Testbed.with(access, plan: plan, name: "memory", folder: folder) { testbed in
                    let (resident, cpu) = try residentMemory(testbed, drivers: drivers)
                    memory.values["resident_mb_at_\(drivers)_drivers"] = resident / 1e6
                    memory.values["cpu_us_per_update_at_\(drivers)_drivers"] = cpu
                    isWithin = isWithin && resident <= 60e6 + 400 * Double(drivers)
                    guard drivers == plan.fleets.last else { return }
                    progress("restore of \(drivers) drivers")
                    failures.measure("restore") { restore.values["seconds"] = try restoreSeconds(testbed) }
                }
            }
            if !isMeasured, drivers == plan.fleets.last { failures.skip(["restore"], because: "memory") }
        }
        memory.target = "at most 60 MB + 400 bytes × drivers"
        memory.isReached = isWithin
        restore.target = "at most 6 s"
        restore.isReached = (restore.values["seconds"] ?? .infinity) <= 6
        return failures.applied(to: [memory, restore].filter { !$0.values.isEmpty })
    }

    /// Measures processor time per record of a backlog, and resident memory 3 s later, when buffers are released.
    private func residentMemory(_ testbed: Testbed, drivers: Int) throws -> (bytes: Double, cpuMicroseconds: Double) {
        try testbed.fill(records: testbed.plan.records, drivers: drivers, withTrips: false)
        let worker = try testbed.worker("location-worker")
        defer { worker.stop() }
        let throughput = try Throughput.measure([worker], count: testbed.plan.records)
        var resident = throughput.residentBytes
        for _ in 0..<30 {
            Thread.sleep(forTimeInterval: 0.1)
            resident = try worker.metrics()?.sum("process_resident_memory_bytes") ?? resident
        }
        return (resident, throughput.cpuMicrosecondsPerRecord)
    }

    /// Returns the sum of the worker's restore durations, each from an assignment to the first record.
    private func restoreSeconds(_ testbed: Testbed) throws -> Double {
        let worker = try testbed.worker("location-worker")
        defer { worker.stop() }
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.02)
            // The group may assign the partitions in several steps.
            guard let metrics = try worker.metrics(), metrics.sum("sightline_restore_duration_seconds_count") > 0,
                Int(metrics.sum("sightline_partitions_assigned")) >= plan.partitions
            else { continue }
            return metrics.sum("sightline_restore_duration_seconds_sum")
        }
        throw InputError("The partitions were not restored within 120 s.")
    }

    /// Measures one, two and four location workers of a group on the same backlog.
    ///
    /// A worker uses nearly two cores, and the broker one for each worker. With four or more cores, each worker is
    /// limited to one core, so that the broker does not limit two workers.
    func scale(_ access: PipelineAccess) -> [BenchResult] {
        let failures = makeFailures()
        let cores = ProcessInfo.processInfo.activeProcessorCount
        var result = BenchResult("scale")
        result.values["cores_per_worker"] = cores >= 4 ? 1 : Double(cores)
        var rates: [Int: Double] = [:]
        for count in [1, 2, 4] {
            let name = "\(count) \(count == 1 ? "worker" : "workers")"
            progress("scale, \(name)")
            failures.measure("scale", at: name) {
                let throughput = try Testbed.with(access, plan: plan, name: "scale", folder: folder) { testbed in
                    try scale(testbed, count: count, pins: cores >= 4)
                }
                rates[count] = throughput.ratePerSecond
                result.values["rate_per_second_at_\(count)"] = throughput.ratePerSecond
                result.values["cpu_us_per_update_at_\(count)"] = throughput.cpuMicrosecondsPerRecord
            }
        }
        if let one = rates[1], let two = rates[2] {
            result.values["gain_at_2"] = two / one
            result.target = "at least 1.8 times with 2 workers"
            result.isReached = two / one >= 1.8
        }
        return failures.applied(to: rates.isEmpty ? [] : [result])
    }

    private func scale(_ testbed: Testbed, count: Int, pins: Bool) throws -> Throughput {
        // The workers must stay in the group while they are suspended. A longer timeout would delay the start, because
        // the local broker assigns partitions after half of it.
        let workers = try (0..<count).map { index in
            try testbed.worker("location-worker", ["KAFKA_SESSION_TIMEOUT_MS": "20000"], core: pins ? index : nil)
        }
        try waitUntilShared(workers)
        // Suspended until the backlog is complete, so that joining is not measured.
        for worker in workers { worker.suspend() }
        // A suspended worker does not process SIGTERM.
        defer { for worker in workers { worker.resume() } }
        try testbed.fill(records: plan.records, drivers: plan.drivers, withTrips: false)
        for worker in workers { worker.resume() }
        return try Throughput.measure(workers, count: plan.records)
    }

    private func waitUntilShared(_ workers: [MeasuredWorker]) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.1)
            let assigned = try workers.map { try $0.metrics()?.sum("sightline_partitions_assigned") ?? 0 }
            if assigned.reduce(0, +) == Double(plan.partitions), assigned.allSatisfy({ $0 > 0 }) { return }
        }
        throw InputError("The \(workers.count) workers did not share the partitions within 60 s.")
    }
}
