/// Decides from the workers' metrics when the pipeline has caught up.
///
/// It has when every lane of every stage is held by exactly one worker that answers, every stage has taken in records
/// since, and none is more than a second of load behind: twice, a second apart, as the gauges are set once a second.
struct LagWatch {
    private let fleet: Fleet
    private let lanes: Int
    /// Records that a stage may be behind: what comes in a second.
    private let tolerance: Double

    init(fleet: Fleet, lanes: Int, recordsPerSecond: Double) {
        self.fleet = fleet
        self.lanes = lanes
        tolerance = max(50, recordsPerSecond)
    }

    /// What the metrics say of one kind of worker.
    struct Reading {
        var lanesHeld = 0.0
        var lag = 0.0
        /// Records taken in, by process, as counters begin anew with each.
        var recordsIn: [Int32: Double] = [:]
    }

    func read() -> [WorkerKind: Reading] {
        var readings: [WorkerKind: Reading] = [:]
        for kind in WorkerKind.allCases {
            var reading = Reading()
            for worker in fleet.running(kind) {
                guard let metrics = worker.metrics() else { continue }
                reading.lanesHeld += metrics.sum("sightline_lanes_held")
                reading.lag += metrics.sum("sightline_lag_records")
                reading.recordsIn[worker.id] = metrics.sum("sightline_records_in_total")
            }
            readings[kind] = reading
        }
        return readings
    }

    /// Waits until the pipeline has caught up.
    /// - Returns: after how many seconds; `nil` when it had not after `seconds`.
    func waitUntilCaughtUp(seconds: Double) throws -> Double? {
        let began = ContinuousClock.now
        let before = read()
        var caughtUpAt: Double?
        while began.seconds < seconds {
            let now = read()
            let isCaughtUp = WorkerKind.allCases.allSatisfy { kind in
                guard let reading = now[kind] else { return false }
                return reading.lanesHeld == Double(lanes * kind.countedTopics) && reading.lag <= tolerance
                    && hasMoved(from: before[kind]?.recordsIn ?? [:], to: reading.recordsIn)
            }
            if !isCaughtUp {
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

    /// Where every stage stands, in one line.
    func summary() -> String {
        let readings = read()
        return WorkerKind.allCases.map { kind in
            let reading = readings[kind] ?? Reading()
            return "\(kind.rawValue) \(Int(reading.lanesHeld)) lanes, lag \(Int(reading.lag))"
        }.joined(separator: "; ")
    }

    private func hasMoved(from before: [Int32: Double], to now: [Int32: Double]) -> Bool {
        now.contains { $0.value > before[$0.key] ?? 0 }
    }
}
