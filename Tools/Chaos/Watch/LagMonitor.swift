/// Decides from the workers' metrics when the pipeline has caught up.
///
/// It has when every partition of every stage is held by exactly one worker that answers, every stage has taken in
/// records since, and none is more than a second of load further behind than it was at rest: twice, a second apart, as
/// the gauges are set once a second.
final class LagMonitor {
    private let fleet: Fleet
    private let partitions: Int
    /// What comes in a second in one topic, about.
    private let recordsPerSecond: Double
    /// The longest lag of each kind of worker when nothing was wrong.
    private var lagAtRest: [WorkerKind: Double] = [:]
    /// The stage that was the last to catch up, and why it had not; `nil` when none had to.
    private(set) var lastHindrance: String?

    init(fleet: Fleet, partitions: Int, recordsPerSecond: Double) {
        self.fleet = fleet
        self.partitions = partitions
        self.recordsPerSecond = max(50, recordsPerSecond)
    }

    /// What the metrics say of one kind of worker.
    struct Reading {
        var partitionsAssigned = 0.0
        /// Whether all workers that answered are of an older build.
        var isOfOlderBuild = true
        var lag = 0.0
        /// Records taken in, by process, as counters begin anew with each.
        var recordsIn: [Int32: Double] = [:]

        /// Whether each partition of the topics that the workers read is held by one of them.
        ///
        /// `partitions`: of each topic.
        func isWhole(_ kind: WorkerKind, partitions: Int) -> Bool {
            let expected = partitions * kind.countedTopics
            let held = Int(partitionsAssigned)
            guard isOfOlderBuild else { return held == expected }
            // An older build may read fewer topics, but never more: of partitions beyond those, two workers hold some.
            return held % partitions == 0 && (partitions...expected).contains(held)
        }
    }

    func read() -> [WorkerKind: Reading] {
        var readings: [WorkerKind: Reading] = [:]
        for kind in WorkerKind.allCases {
            var reading = Reading()
            for worker in fleet.running(kind) {
                guard let metrics = worker.metrics() else { continue }
                reading.partitionsAssigned += metrics.sum("sightline_partitions_assigned")
                if !worker.isOfOlderBuild { reading.isOfOlderBuild = false }
                reading.lag += metrics.sum("sightline_lag_records")
                reading.recordsIn[worker.id] = metrics.sum("sightline_records_in_total")
            }
            readings[kind] = reading
        }
        return readings
    }

    /// Waits while nothing is wrong, and learns what lag there is then.
    func watchRest(seconds: Double) throws {
        lagAtRest = [:]
        let began = ContinuousClock.now
        repeat {
            for (kind, reading) in read() { lagAtRest[kind] = max(lagAtRest[kind] ?? 0, reading.lag) }
            try fleet.wait(seconds: 0.5)
        } while began.seconds < seconds
    }

    /// Waits until the pipeline has caught up.
    /// - Returns: after how many seconds; `nil` when it had not after `seconds`.
    func waitUntilCaughtUp(seconds: Double) throws -> Double? {
        let began = ContinuousClock.now
        let before = read()
        var caughtUpAt: Double?
        lastHindrance = nil
        while began.seconds < seconds {
            let now = read()
            let hindrance = WorkerKind.allCases.lazy.compactMap { kind in
                self.hindrance(kind, now[kind] ?? Reading(), since: before[kind] ?? Reading())
            }.first
            lastHindrance = hindrance ?? lastHindrance
            if hindrance != nil {
                caughtUpAt = nil
            } else if let caughtUpAt {
                if began.seconds - caughtUpAt > 1.2 { return caughtUpAt }
            } else {
                caughtUpAt = began.seconds
            }
            try fleet.wait(seconds: 0.2)
        }
        return nil
    }

    /// Records that the running workers of a kind have taken in.
    func recordsIn(_ kind: WorkerKind) -> Double { read()[kind]?.recordsIn.values.reduce(0, +) ?? 0 }

    /// Whether none of some partitions is more than three seconds of load behind for a kind of worker.
    func isSmall(_ kind: WorkerKind, in some: Set<Int>) -> Bool {
        let metrics = fleet.running(kind).compactMap { $0.metrics() }
        let most = max(10, 3 * recordsPerSecond / Double(partitions))
        return !metrics.isEmpty
            && some.allSatisfy { partition in
                metrics.reduce(0) { $0 + $1.sum("sightline_lag_records", where: ["partition": "\(partition)"]) } <= most
            }
    }

    /// Where every stage stands, in one line.
    func summary() -> String {
        let readings = read()
        return WorkerKind.allCases.map { kind in
            let reading = readings[kind] ?? Reading()
            return "\(kind.rawValue) \(Int(reading.partitionsAssigned)) partitions, lag \(Int(reading.lag))"
        }.joined(separator: "; ")
    }

    /// Why a stage has not caught up; `nil` when it has.
    private func hindrance(_ kind: WorkerKind, _ now: Reading, since before: Reading) -> String? {
        if !now.isWhole(kind, partitions: partitions) {
            let expected = partitions * kind.countedTopics
            return "\(kind.rawValue): \(Int(now.partitionsAssigned)) of \(expected) partitions held"
        }
        let mostLag = (lagAtRest[kind] ?? 0) + recordsPerSecond * Double(kind.countedTopics)
        if now.lag > mostLag { return "\(kind.rawValue): lag \(Int(now.lag))" }
        let hasMoved = now.recordsIn.contains { $0.value > before.recordsIn[$0.key] ?? 0 }
        return hasMoved ? nil : "\(kind.rawValue): nothing taken in"
    }
}
