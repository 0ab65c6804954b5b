import Foundation
import Runtime
import Synchronization

/// A thread that polls the metrics of the workers every two seconds.
final class MetricsProbe: Sendable {
    private let latest = Mutex<[WorkerRow]>([])
    private let isStopped = Atomic<Bool>(false)
    private let endpoints: [HTTPEndpoint]

    /// - Throws: ``InputError`` for an invalid address.
    init(urls: [String]) throws {
        endpoints = try urls.map { try HTTPEndpoint($0) }
    }

    func start() {
        guard !endpoints.isEmpty else { return }
        let thread = Thread { [self] in
            let clock = ContinuousClock()
            var polledAt = clock.now
            while !isStopped.load(ordering: .relaxed) {
                let pages = endpoints.compactMap { $0.get("/metrics") }
                let seconds = polledAt.duration(to: clock.now) / .seconds(1)
                polledAt = clock.now
                let rows = WorkerRow.rows(of: pages)
                latest.withLock { [rows] in $0 = WorkerRow.following($0, rows, seconds: seconds) }
                Thread.sleep(forTimeInterval: 2)
            }
        }
        thread.name = "metrics"
        thread.start()
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// The workers that have responded at least once, in the order of the pipeline.
    var workers: [WorkerRow] { latest.withLock { $0 } }
}

/// Metrics of all instances of a worker.
struct WorkerRow: Sendable, Equatable {
    /// The label `stage` of the metrics, such as `location`.
    var stage: String
    var instances = 0
    /// Number of different assigned partition numbers, summed over the instances.
    var partitions = 0
    /// Records consumed since the processes started.
    var recordsIn = 0
    /// Records not processed yet.
    var lag = 0
    /// Rate since the previous response; `nil` after the first response, and after a restart.
    var recordsPerSecond: Int?

    static let stages = ["location", "eta", "broadcast", "position", "history"]

    /// Returns a row per worker of ``stages``, in this order.
    ///
    /// `pages`: Prometheus text of each process that responded.
    static func rows(of pages: [String]) -> [WorkerRow] {
        var rows: [String: WorkerRow] = [:]
        for page in pages {
            guard let metrics = try? MetricsSnapshot(parsing: page) else { continue }
            var assigned: [String: Set<String>] = [:]
            for sample in metrics.samples {
                guard let stage = sample.labels["stage"] else { continue }
                switch sample.name {
                case "sightline_lag_records":
                    rows[stage, default: WorkerRow(stage: stage)].lag += Int(sample.value)
                    assigned[stage, default: []].insert(sample.labels["partition"] ?? "")
                case "sightline_records_in_total":
                    rows[stage, default: WorkerRow(stage: stage)].recordsIn += Int(sample.value)
                case "sightline_partitions_assigned":
                    rows[stage, default: WorkerRow(stage: stage)].instances += 1
                default: break
                }
            }
            for (stage, partitions) in assigned { rows[stage]?.partitions += partitions.count }
        }
        return stages.compactMap { rows[$0] }
    }

    /// Adds rates to the rows `now`, computed from the rows `earlier`, which are `seconds` older.
    ///
    /// A worker that no longer responds gets an empty row.
    static func following(_ earlier: [WorkerRow], _ now: [WorkerRow], seconds: Double) -> [WorkerRow] {
        stages.compactMap { stage in
            let before = earlier.first { $0.stage == stage }
            guard var row = now.first(where: { $0.stage == stage }) else {
                return before.map { _ in WorkerRow(stage: stage) }
            }
            // A smaller count means that a process has restarted.
            if seconds > 0, let before, before.instances > 0, row.recordsIn >= before.recordsIn {
                row.recordsPerSecond = Int((Double(row.recordsIn - before.recordsIn) / seconds).rounded())
            }
            return row
        }
    }
}
