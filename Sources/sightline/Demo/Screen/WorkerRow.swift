import Runtime

/// What the instances of a worker say of themselves together.
struct WorkerRow: Sendable, Equatable {
    /// As in the label `stage` of metrics, such as `location`.
    var stage: String
    var instances = 0
    /// Partition numbers that the instances hold.
    var partitions = 0
    /// Records taken from its topics since its processes started.
    var recordsIn = 0
    /// Records not processed yet.
    var lag = 0
    /// `nil` until it was asked twice.
    var recordsPerSecond: Int?

    static let stages = ["location", "eta", "broadcast", "position", "history"]

    /// One row for each stage that answered, in the order of the pipeline.
    ///
    /// `pages`: Prometheus text, one for each process that answered.
    static func rows(of pages: [String]) -> [WorkerRow] {
        var rows: [String: WorkerRow] = [:]
        for page in pages {
            guard let metrics = try? MetricsSnapshot(parsing: page) else { continue }
            var held: [String: Set<String>] = [:]
            for sample in metrics.samples {
                guard let stage = sample.labels["stage"] else { continue }
                switch sample.name {
                case "sightline_lag_records":
                    rows[stage, default: WorkerRow(stage: stage)].lag += Int(sample.value)
                    held[stage, default: []].insert(sample.labels["partition"] ?? "")
                case "sightline_records_in_total":
                    rows[stage, default: WorkerRow(stage: stage)].recordsIn += Int(sample.value)
                case "sightline_partitions_assigned":
                    rows[stage, default: WorkerRow(stage: stage)].instances += 1
                default: break
                }
            }
            for (stage, partitions) in held { rows[stage]?.partitions += partitions.count }
        }
        return stages.compactMap { rows[$0] }
    }

    /// The rows found now, with their rates since the rows found `seconds` before.
    ///
    /// A worker of which no instance answers any more stays, with nothing.
    static func following(_ earlier: [WorkerRow], _ now: [WorkerRow], seconds: Double) -> [WorkerRow] {
        stages.compactMap { stage in
            let before = earlier.first { $0.stage == stage }
            guard var row = now.first(where: { $0.stage == stage }) else {
                return before.map { _ in WorkerRow(stage: stage) }
            }
            // Fewer records than before: a process has started anew.
            if seconds > 0, let before, before.instances > 0, row.recordsIn >= before.recordsIn {
                row.recordsPerSecond = Int((Double(row.recordsIn - before.recordsIn) / seconds).rounded())
            }
            return row
        }
    }
}
