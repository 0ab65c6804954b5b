/// Determines from the workers' metrics when the pipeline has caught up.
///
/// The pipeline has caught up if every partition of every topic is assigned to one responding worker, every kind of
/// worker has processed records since the wait began, and no kind lags by more than about one second of load over the
/// baseline. These conditions must be true for more than 1.2 s, because workers set these gauges once per second.
final class LagMonitor {
    private let fleet: Fleet
    private let partitions: Int
    /// Approximate records per second of each topic.
    private let recordsPerSecond: Double
    /// Maximum lag of each kind of worker in the last measurement without a fault.
    private var baseline: [WorkerKind: Double] = [:]
    /// The last kind of worker to catch up, with the reason; `nil` if all had caught up at the first check.
    private(set) var lastDelayReason: String?

    init(fleet: Fleet, partitions: Int, recordsPerSecond: Double) {
        self.fleet = fleet
        self.partitions = partitions
        self.recordsPerSecond = max(50, recordsPerSecond)
    }

    /// Metrics of one kind of worker, summed over its processes.
    struct Reading {
        var partitionsAssigned = 0.0
        var lag = 0.0
        /// Records processed, by process id; each process counts from 0.
        var recordsIn: [Int32: Double] = [:]

        /// Whether every partition is assigned; each topic has `partitions` of them.
        func isComplete(_ kind: WorkerKind, partitions: Int) -> Bool {
            Int(partitionsAssigned) == partitions * kind.countedTopics
        }
    }

    func read() -> [WorkerKind: Reading] {
        var readings: [WorkerKind: Reading] = [:]
        for kind in WorkerKind.allCases {
            var reading = Reading()
            for worker in fleet.running(kind) {
                guard let metrics = worker.metrics() else { continue }
                reading.partitionsAssigned += metrics.sum("sightline_partitions_assigned")
                reading.lag += metrics.sum("sightline_lag_records")
                reading.recordsIn[worker.id] = metrics.sum("sightline_records_in_total")
            }
            readings[kind] = reading
        }
        return readings
    }

    /// Measures the maximum lag of each kind of worker for `seconds`, as the baseline.
    func measureBaseline(seconds: Double) throws {
        baseline = [:]
        let began = ContinuousClock.now
        repeat {
            for (kind, reading) in read() { baseline[kind] = max(baseline[kind] ?? 0, reading.lag) }
            try fleet.wait(seconds: 0.5)
        } while began.elapsedSeconds < seconds
    }

    /// Waits until the pipeline has caught up.
    /// - Returns: the seconds until the pipeline had caught up; `nil` after `seconds`.
    func waitUntilCaughtUp(seconds: Double) throws -> Double? {
        let began = ContinuousClock.now
        let before = read()
        var caughtUpAt: Double?
        lastDelayReason = nil
        while began.elapsedSeconds < seconds {
            let now = read()
            let reason = WorkerKind.allCases.lazy.compactMap { kind in
                self.delayReason(kind, now[kind] ?? Reading(), since: before[kind] ?? Reading())
            }.first
            lastDelayReason = reason ?? lastDelayReason
            if reason != nil {
                caughtUpAt = nil
            } else if let caughtUpAt {
                if began.elapsedSeconds - caughtUpAt > 1.2 { return caughtUpAt }
            } else {
                caughtUpAt = began.elapsedSeconds
            }
            try fleet.wait(seconds: 0.2)
        }
        return nil
    }

    /// Returns the number of records that the running workers of a kind have processed.
    func recordsIn(_ kind: WorkerKind) -> Double { read()[kind]?.recordsIn.values.reduce(0, +) ?? 0 }

    /// Whether each of the partitions lags by at most three seconds of load.
    func isSmall(_ kind: WorkerKind, in selected: Set<Int>) -> Bool {
        let metrics = fleet.running(kind).compactMap { $0.metrics() }
        let limit = max(10, 3 * recordsPerSecond / Double(partitions))
        return !metrics.isEmpty
            && selected.allSatisfy { partition in
                metrics.reduce(0) { $0 + $1.sum("sightline_lag_records", where: ["partition": "\(partition)"]) }
                    <= limit
            }
    }

    /// Returns the partitions and lag of every kind of worker, in one line.
    func summary() -> String {
        let readings = read()
        return WorkerKind.allCases.map { kind in
            let reading = readings[kind] ?? Reading()
            return "\(kind.rawValue) \(Int(reading.partitionsAssigned)) partitions, lag \(Int(reading.lag))"
        }.joined(separator: "; ")
    }

    /// Returns the reason why a kind of worker has not caught up; `nil` if it has caught up.
    private func delayReason(_ kind: WorkerKind, _ now: Reading, since before: Reading) -> String? {
        if !now.isComplete(kind, partitions: partitions) {
            let expected = partitions * kind.countedTopics
            return "\(kind.rawValue): \(Int(now.partitionsAssigned)) of \(expected) partitions assigned"
        }
        let limit = (baseline[kind] ?? 0) + recordsPerSecond * Double(kind.countedTopics)
        if now.lag > limit { return "\(kind.rawValue): lag \(Int(now.lag))" }
        let hasMoved = now.recordsIn.contains { $0.value > before.recordsIn[$0.key] ?? 0 }
        return hasMoved ? nil : "\(kind.rawValue): no records processed"
    }
}
