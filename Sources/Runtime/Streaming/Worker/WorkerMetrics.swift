import CoreMetrics
import Kafka
import Processing

/// Metrics that processors and sinks share; see ``MetricCatalogue``.
final class WorkerMetrics {
    let recordsIn: [Counter]
    let batchDuration: Timer
    let recordLatency: Timer
    let restoreDuration: Timer
    private let partitionsAssigned: Meter
    private let stage: String
    private var errors: [String: Counter] = [:]
    private var lags: [PartitionGauges]

    /// Creates the metrics; `group` is the full name of the consumer group, `topics` are the inputs without prefix.
    init(stage: String, group: String, topics: [String]) {
        self.stage = stage
        lags = topics.map { PartitionGauges(.lag, [(.stage, stage), (.consumerGroup, group), (.topic, $0)]) }
        recordsIn = topics.map { Counter(.recordsIn, [(.stage, stage), (.topic, $0)]) }
        batchDuration = Timer(.batchDuration, [(.stage, stage)])
        recordLatency = Timer(.recordLatency, [(.stage, stage)])
        restoreDuration = Timer(.restoreDuration, [(.stage, stage)])
        partitionsAssigned = Meter(.partitionsAssigned, [(.stage, stage), (.consumerGroup, group)])
        partitionsAssigned.set(0)
    }

    func setPartitionsAssigned(_ count: Int) { partitionsAssigned.set(count) }

    func setLag(_ records: Int64, input: Int, partition: Int32) { lags[input].set(Double(max(0, records)), partition) }

    func count(_ error: KafkaError) {
        let code = error.libraryName ?? "\(error.code)"
        let counter = errors[code] ?? Counter(.kafkaErrors, [(.stage, stage), (.code, code)])
        counter.increment(by: 1)
        errors[code] = counter
    }

    /// Removes the lag of a revoked partition, because its new owner reports it.
    func removeLag(input: Int, partition: Int32) { lags[input].remove(partition) }
}

/// A gauge with one series per partition.
struct PartitionGauges {
    private let metric: MetricDefinition
    private let labels: [(MetricLabel, String)]
    private var meters: [Int32: Meter] = [:]

    /// Creates the gauge; `labels` excludes the partition.
    init(_ metric: MetricDefinition, _ labels: [(MetricLabel, String)]) {
        self.metric = metric
        self.labels = labels
    }

    mutating func set(_ value: Double, _ partition: Int32) {
        let meter = meters[partition] ?? Meter(metric, labels + [(.partition, "\(partition)")])
        meter.set(value)
        meters[partition] = meter
    }

    mutating func remove(_ partition: Int32) { meters.removeValue(forKey: partition)?.destroy() }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
