import Domain
import Processing
import Recordings

/// A repeated run of a processor over the input of a partition, compared with the topics.
///
/// It requires a processor with one input, whose outputs do not depend on batches, restarts and workers.
struct ProcessorReplay: ~Copyable {
    private let layout: ProcessorLayout
    private var runner: InMemoryRunner
    /// Comparisons by output number; other outputs are not compared.
    private let comparisons: [Int: TopicComparison]

    init(layout: ProcessorLayout, partition: Int32, processor: any Processor, comparisons: [Int: TopicComparison]) {
        self.layout = layout
        self.comparisons = comparisons
        runner = InMemoryRunner(layout: layout, partition: partition, processor: processor)
    }

    /// Restores the state from the start of the changelog, as a worker does when it is assigned the partition.
    ///
    /// `side`: records of other outputs to restore, by output. `isOfRun`: whether an event belongs to the compared run;
    /// the changelog before the run is restored. Without `isOfRun`, the first `memoryMilliseconds` are restored.
    mutating func restore(side: [Int: any RecordSource], until isOfRun: ((EventID) -> Bool)? = nil) throws {
        guard let changelog = comparisons[0] else { return }
        var since: Int64?
        var last = Watermark()
        let reason: AuditCheck.ToleratedReason? = isOfRun == nil ? .retention : nil
        try changelog.skip(reason) { record, event in
            let start = since ?? record.timestamp.milliseconds
            since = start
            let isRestored =
                isOfRun.map { !$0(event) } ?? (record.timestamp.milliseconds <= start + layout.memoryMilliseconds)
            if isRestored { last.advance(to: event) }
            return isRestored
        } _: { record in
            record.withRecord(0) { runner.restore($0, watermarkHeader: $1) }
        }
        if let mismatch = runner.versionMismatch { throw InputError("\(mismatch)") }
        func isBefore(_ event: EventID) -> Bool { last.last(of: event.origin).map { !event.isAfter($0) } ?? false }
        for (output, source) in side {
            while let record = try source.next() {
                guard let event = record.event, isBefore(event) else { continue }
                record.withRecord(output) { record, _ in runner.restoreSideOutput(record) }
            }
        }
        for (output, comparison) in comparisons where output != 0 {
            try comparison.skip(reason, while: { isBefore($1) }, { _ in })
        }
    }

    /// Processes the whole input.
    ///
    /// `due`: input records from this offset on need not be processed yet.
    mutating func run(_ input: any RecordSource, due: Int64) throws {
        runner.finishRestore()
        runner.drainOutputs { _ in }
        while let record = try input.next() {
            record.withRecord(0) { record, _ in runner.process(record) }
            try runner.drainOutputs { output in
                guard let comparison = comparisons[output.topic] else { return }
                try comparison.expect(AuditedRecord(output), isDue: record.offset < due)
            }
        }
        for comparison in comparisons.values { try comparison.finish() }
    }
}
