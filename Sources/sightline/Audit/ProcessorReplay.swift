import Model
import Processing
import Recordings

/// Runs a stage again over a partition's input and compares what it writes with what stands on its topics.
///
/// For stages with one input, which make the same of it whatever the batches, restarts and workers were.
struct ProcessorReplay: ~Copyable {
    private let layout: ProcessorLayout
    private var runner: InMemoryRunner
    /// By output; outputs without one are not compared.
    private let comparisons: [Int: TopicComparison]

    init(layout: ProcessorLayout, partition: Int32, stage: any Processor, comparisons: [Int: TopicComparison]) {
        self.layout = layout
        self.comparisons = comparisons
        runner = InMemoryRunner(layout: layout, partition: partition, stage: stage)
    }

    /// Begins in the middle: the start of the changelog stands for records of the input that are not processed again,
    /// as it does for a worker that takes a partition over.
    ///
    /// `side`: records of other outputs that the stage wants back, by output;
    /// `isOfRun`: whether an event is of the run that is compared, which has the changelog before it restored; without
    /// it the partition's oldest records are no more, and the changelog's first minutes stand for them.
    mutating func restore(side: [Int: any RecordSource], until isOfRun: ((EventID) -> Bool)? = nil) throws {
        guard let changelog = comparisons[0] else { return }
        var since: Int64?
        var last = Watermark()
        let excuse: AuditCheck.Excuse? = isOfRun == nil ? .retention : nil
        try changelog.skip(excuse) { record, event in
            let start = since ?? record.timestamp.milliseconds
            since = start
            let isRestored =
                isOfRun.map { !$0(event) } ?? (record.timestamp.milliseconds <= start + layout.memoryMilliseconds)
            if isRestored { last.advance(to: event) }
            return isRestored
        } _: { record in
            record.withRecord(0) { runner.restore($0, clockHeader: $1) }
        }
        if let refusal = runner.refusal { throw InputError("\(refusal)") }
        func isBefore(_ event: EventID) -> Bool { last.last(of: event.origin).map { !event.isAfter($0) } ?? false }
        for (output, source) in side {
            while let record = try source.next() {
                guard let event = record.event, isBefore(event) else { continue }
                record.withRecord(output) { record, _ in runner.restoreSideOutput(record) }
            }
        }
        for (output, comparison) in comparisons where output != 0 {
            try comparison.skip(excuse, while: { isBefore($1) }, { _ in })
        }
    }

    /// Processes the whole input.
    ///
    /// `due`: the offset from which on records of the input need not be answered yet.
    mutating func run(_ input: any RecordSource, due: Int64) throws {
        runner.finishRestore()
        runner.takeOutputs { _ in }
        while let record = try input.next() {
            record.withRecord(0) { record, _ in runner.process(record) }
            try runner.takeOutputs { output in
                guard let comparison = comparisons[output.topic] else { return }
                try comparison.expect(AuditedRecord(output), isDue: record.offset < due)
            }
        }
        for comparison in comparisons.values { try comparison.finish() }
    }
}
