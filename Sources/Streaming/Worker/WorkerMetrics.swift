import CoreMetrics

/// The metrics that all workers share, created once and touched once per batch.
///
/// Names and meaning: the metrics catalogue of the observability room.
final class WorkerMetrics {
    let recordsIn: [Counter]
    let batchDuration: Timer
    let recordLatency: Timer
    let restoreDuration: Timer
    private let partitionsAssigned: Meter
    private let stage: String
    private let topics: [String]
    private var lags: [LagKey: Meter] = [:]

    private struct LagKey: Hashable {
        var input: Int
        var partition: Int32
    }

    ///
    /// `topics`: the inputs, without the prefix.
    init(stage: String, topics: [String]) {
        self.stage = stage
        self.topics = topics
        recordsIn = topics.map {
            Counter(label: "sightline_records_in_total", dimensions: [("stage", stage), ("topic", $0)])
        }
        batchDuration = Timer(label: "sightline_batch_duration_seconds", dimensions: [("stage", stage)])
        recordLatency = Timer(label: "sightline_record_latency_seconds", dimensions: [("stage", stage)])
        restoreDuration = Timer(label: "sightline_restore_duration_seconds", dimensions: [("stage", stage)])
        partitionsAssigned = Meter(label: "sightline_partitions_assigned", dimensions: [("stage", stage)])
        partitionsAssigned.set(0)
    }

    func setPartitionsAssigned(_ count: Int) { partitionsAssigned.set(count) }

    func setLag(_ records: Int64, input: Int, partition: Int32) {
        let key = LagKey(input: input, partition: partition)
        if let known = lags[key] { return known.set(max(0, records)) }
        let meter = Meter(
            label: "sightline_lag_records",
            dimensions: [("stage", stage), ("topic", topics[input]), ("partition", "\(partition)")])
        meter.set(max(0, records))
        lags[key] = meter
    }

    /// Takes the lag of a partition out of the metrics: whoever holds the partition now reports it.
    func removeLag(input: Int, partition: Int32) {
        lags.removeValue(forKey: LagKey(input: input, partition: partition))?.destroy()
    }
}

extension Duration {
    /// Whole nanoseconds, for timers.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
