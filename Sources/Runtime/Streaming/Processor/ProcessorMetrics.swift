import CoreMetrics
import Processing

/// Metrics of a processor's worker.
final class ProcessorMetrics {
    let common: WorkerMetrics
    let recordsOut: [Counter]
    let outputsRepeated: Counter
    let changelogRecordsLost: Counter
    let keysMisplaced: [Counter]
    private let stage: String
    private var restores: [Int32: Meter] = [:]
    private var unacknowledged: [Int32: Meter] = [:]
    private let processorCounters: [Counter]
    private let zeros: [Int]

    /// `group`: the full name of the consumer group.
    init(_ layout: ProcessorLayout, group: String) {
        stage = layout.name
        common = WorkerMetrics(stage: layout.name, group: group, topics: layout.inputs.map(\.topic))
        recordsOut = layout.outputs.map {
            Counter(.recordsOut, [(.stage, layout.name), (.topic, $0.topic)])
        }
        outputsRepeated = Counter(.outputsRepeated, [(.stage, layout.name)])
        keysMisplaced = layout.inputs.map { Counter(.keysMisplaced, [(.stage, layout.name), (.topic, $0.topic)]) }
        changelogRecordsLost = Counter(.changelogRecordsLost, [(.stage, layout.name)])
        processorCounters = layout.counters.map { Counter($0.metric, $0.labels) }
        zeros = Array(repeating: 0, count: layout.counters.count)
    }

    /// Sets the records left in a partition's restore.
    func setRestore(partition: Int32, recordsLeft: Int64) {
        let meter =
            restores[partition]
            ?? Meter(.restoreRemaining, [(.stage, stage), (.partition, "\(partition)")])
        meter.set(recordsLeft)
        restores[partition] = meter
    }

    func removeRestore(partition: Int32) { restores.removeValue(forKey: partition)?.destroy() }

    /// Sets the age of a partition's oldest unacknowledged output.
    func setUnacknowledged(partition: Int32, age: Duration) {
        let meter =
            unacknowledged[partition]
            ?? Meter(.unacknowledgedAge, [(.stage, stage), (.partition, "\(partition)")])
        meter.set(Double(age.wholeMilliseconds) / 1000)
        unacknowledged[partition] = meter
    }

    func removeUnacknowledged(partition: Int32) { unacknowledged.removeValue(forKey: partition)?.destroy() }

    /// Adds the processor's counts to the metrics and resets them.
    func add(_ processor: any Processor) {
        guard !processorCounters.isEmpty else { return }
        let counts = processor.counts
        for (index, count) in counts.enumerated() where count > 0 && index < processorCounters.count {
            processorCounters[index].increment(by: count)
        }
        processor.counts = zeros
    }
}
