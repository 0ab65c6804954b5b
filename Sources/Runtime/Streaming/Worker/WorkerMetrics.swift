import CoreMetrics
import Kafka

/// Metrics of all workers, updated once per batch; see ``MetricCatalogue``.
final class WorkerMetrics {
    let recordsIn: [Counter]
    let batchDuration: Timer
    let recordLatency: Timer
    let restoreDuration: Timer
    private let partitionsAssigned: Meter
    private let stage: String
    private let group: String
    private let topics: [String]
    private var errors: [String: Counter] = [:]
    private var lags: [LagKey: Meter] = [:]

    private struct LagKey: Hashable {
        var input: Int
        var partition: Int32
    }

    /// - Parameters:
    ///   - stage: name of the processor or sink.
    ///   - group: full name of the consumer group.
    ///   - topics: inputs, without the prefix.
    init(stage: String, group: String, topics: [String]) {
        self.stage = stage
        self.group = group
        self.topics = topics
        recordsIn = topics.map {
            Counter(.recordsIn, [(.stage, stage), (.topic, $0)])
        }
        batchDuration = Timer(.batchDuration, [(.stage, stage)])
        recordLatency = Timer(.recordLatency, [(.stage, stage)])
        restoreDuration = Timer(.restoreDuration, [(.stage, stage)])
        partitionsAssigned = Meter(.partitionsAssigned, [(.stage, stage), (.consumerGroup, group)])
        partitionsAssigned.set(0)
    }

    func setPartitionsAssigned(_ count: Int) { partitionsAssigned.set(count) }

    func setLag(_ records: Int64, input: Int, partition: Int32) {
        let key = LagKey(input: input, partition: partition)
        if let known = lags[key] { return known.set(max(0, records)) }
        let meter = Meter(
            .lag,
            [(.stage, stage), (.consumerGroup, group), (.topic, topics[input]), (.partition, "\(partition)")])
        meter.set(max(0, records))
        lags[key] = meter
    }

    func count(_ error: KafkaError) {
        let code = error.libraryName ?? "\(error.code)"
        let counter = errors[code] ?? Counter(.kafkaErrors, [(.stage, stage), (.code, code)])
        counter.increment(by: 1)
        errors[code] = counter
    }

    /// Removes the lag of a revoked partition, which the new owner reports.
    func removeLag(input: Int, partition: Int32) {
        lags.removeValue(forKey: LagKey(input: input, partition: partition))?.destroy()
    }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
