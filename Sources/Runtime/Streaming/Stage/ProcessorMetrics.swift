import CoreMetrics
import Processing

/// The metrics of a stage worker.
final class ProcessorMetrics {
    let common: WorkerMetrics
    let recordsOut: [Counter]
    let outputsRepeated: Counter
    let changelogRecordsLost: Counter
    let keysMisplaced: [Counter]
    private let stage: String
    private var restores: [Int32: Meter] = [:]
    private var unacknowledged: [Int32: Meter] = [:]
    private let stageCounters: [Counter]
    private let zeros: [Int]

    /// - Parameters:
    ///   - layout: the stage's inputs, outputs and counters.
    ///   - group: the full name of its consumer group.
    init(_ layout: ProcessorLayout, group: String) {
        stage = layout.name
        common = WorkerMetrics(stage: layout.name, group: group, topics: layout.inputs.map(\.topic))
        recordsOut = layout.outputs.map {
            Counter(.recordsOut, [(.stage, layout.name), (.topic, $0.topic)])
        }
        outputsRepeated = Counter(.outputsRepeated, [(.stage, layout.name)])
        keysMisplaced = layout.inputs.map { Counter(.keysMisplaced, [(.stage, layout.name), (.topic, $0.topic)]) }
        changelogRecordsLost = Counter(.changelogRecordsLost, [(.stage, layout.name)])
        stageCounters = layout.counters.map { counter in
            Counter(counter.metric, counter.labels)
        }
        zeros = Array(repeating: 0, count: layout.counters.count)
    }

    /// Shows how many records of a partition a restore has still to read.
    func setRestore(partition: Int32, recordsLeft: Int64) {
        let meter =
            restores[partition]
            ?? Meter(.restoreRemaining, [(.stage, stage), (.partition, "\(partition)")])
        meter.set(recordsLeft)
        restores[partition] = meter
    }

    /// Takes a partition whose restore is over out of the metrics.
    func removeRestore(partition: Int32) { restores.removeValue(forKey: partition)?.destroy() }

    /// Shows how long the oldest output of a partition has waited for its acknowledgement.
    func setUnacknowledged(partition: Int32, age: Duration) {
        let meter =
            unacknowledged[partition]
            ?? Meter(.unacknowledgedAge, [(.stage, stage), (.partition, "\(partition)")])
        meter.set(Double(age.wholeMilliseconds) / 1000)
        unacknowledged[partition] = meter
    }

    /// Takes a partition that goes to another process out of the metrics.
    func removeUnacknowledged(partition: Int32) { unacknowledged.removeValue(forKey: partition)?.destroy() }

    /// Adds what the stage counted since the last call, and sets its counts to zero.
    func add(_ stage: any Processor) {
        guard !stageCounters.isEmpty else { return }
        let counts = stage.counts
        for (index, count) in counts.enumerated() where count > 0 && index < stageCounters.count {
            stageCounters[index].increment(by: count)
        }
        stage.counts = zeros
    }
}
