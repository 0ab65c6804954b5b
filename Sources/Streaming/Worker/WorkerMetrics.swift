import CoreMetrics

/// The metrics that all workers share, created once and touched once per batch.
///
/// Names and meaning: the metrics catalogue of the observability room.
final class WorkerMetrics {
    let recordsIn: [Counter]
    let batchDuration: Timer
    let recordLatency: Timer
    let restoreDuration: Timer
    private let lanesHeld: Meter
    private let stage: String
    private let topics: [String]
    private var lags: [LagKey: Meter] = [:]

    private struct LagKey: Hashable {
        var input: Int
        var lane: Int32
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
        lanesHeld = Meter(label: "sightline_lanes_held", dimensions: [("stage", stage)])
        lanesHeld.set(0)
    }

    func setLanesHeld(_ count: Int) { lanesHeld.set(count) }

    func setLag(_ records: Int64, input: Int, lane: Int32) {
        let key = LagKey(input: input, lane: lane)
        if let known = lags[key] { return known.set(max(0, records)) }
        let meter = Meter(
            label: "sightline_lag_records",
            dimensions: [("stage", stage), ("topic", topics[input]), ("lane", "\(lane)")])
        meter.set(max(0, records))
        lags[key] = meter
    }

    /// Takes the lag of a lane out of the metrics: whoever holds the lane now reports it.
    func removeLag(input: Int, lane: Int32) {
        lags.removeValue(forKey: LagKey(input: input, lane: lane))?.destroy()
    }
}

extension Duration {
    /// Whole nanoseconds, for timers.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
