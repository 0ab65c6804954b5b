import CoreMetrics
import Processing

/// Metrics of a processor's worker.
final class ProcessorMetrics {
    let common: WorkerMetrics
    let recordsOut: [Counter]
    let outputsRepeated: Counter
    let changelogRecordsLost: Counter
    let keysMisplaced: [Counter]
    /// Records left to restore, by partition.
    var restores: PartitionGauges
    /// Age of the oldest unacknowledged output, in seconds.
    var unacknowledged: PartitionGauges
    private let processorCounters: [Counter]
    private let zeros: [Int]

    /// Creates the metrics; `group` is the full name of the consumer group.
    init(_ layout: ProcessorLayout, group: String) {
        restores = PartitionGauges(.restoreRemaining, [(.stage, layout.name)])
        unacknowledged = PartitionGauges(.unacknowledgedAge, [(.stage, layout.name)])
        common = WorkerMetrics(stage: layout.name, group: group, topics: layout.inputs.map(\.topic))
        recordsOut = layout.outputs.map { Counter(.recordsOut, [(.stage, layout.name), (.topic, $0.topic)]) }
        outputsRepeated = Counter(.outputsRepeated, [(.stage, layout.name)])
        keysMisplaced = layout.inputs.map { Counter(.keysMisplaced, [(.stage, layout.name), (.topic, $0.topic)]) }
        changelogRecordsLost = Counter(.changelogRecordsLost, [(.stage, layout.name)])
        processorCounters = layout.counters.map { Counter($0.metric, $0.labels) }
        zeros = Array(repeating: 0, count: layout.counters.count)
    }

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
