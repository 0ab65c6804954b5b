import Model
import Support

/// Runs a stage over records in memory, exactly as the stage worker does against Kafka: offline, and in tests.
///
/// ```swift
/// var runner = InMemoryRunner(layout: LocationProcessor.layout, stage: LocationProcessor(settings))
/// runner.process(record)
/// runner.takeOutputs { output in print(output.value?.string ?? "") }
/// ```
package struct InMemoryRunner: ~Copyable {
    /// One output, borrowed during the call that hands it over.
    package struct Output {
        /// Index into ``ProcessorLayout/outputs``; 0 is the changelog.
        package var topic: Int
        package var partition: Int32
        package var clock: EventID
        package var timestamp: Timestamp
        package var key: ByteSlice
        /// `nil` for a tombstone.
        package var value: ByteSlice?
        /// The stage's own headers.
        package var headers: [(name: StaticString, value: ByteSlice)]
        /// The ``RecordHeader/clock`` header.
        package var clockHeader: ByteSlice
        package var copiesInputHeaders: Bool

        /// Bytes of key, value and headers.
        package var byteCount: Int {
            headers.reduce(key.count + (value?.count ?? 0) + clockHeader.count) {
                $0 + $1.name.utf8CodeUnitCount + $1.value.count
            }
        }

        /// The output as an input of the next stage, or as a changelog record to restore from.
        package func record(input: Int = 0, offset: Int64) -> InputRecord {
            let state = headers.last { ByteSlice.text($0.name) == RecordHeader.state }
            return InputRecord(
                input: input, partition: partition, offset: offset, timestamp: timestamp, key: key, value: value,
                clock: clock,
                state: state?.value ?? .empty)
        }
    }

    private let task: PartitionProcessor
    private var outputs: SequencedOutputs
    /// Outputs dropped because they did not advance the clock of their topic.
    package private(set) var repeated = 0

    package init(layout: ProcessorLayout, partition: Int32 = 0, stage: any Processor) {
        task = PartitionProcessor(layout: layout, partition: partition, stage: stage)
        outputs = SequencedOutputs(inputs: layout.inputs.count)
    }

    /// Why the partition cannot be carried on from what was restored; see ``PartitionProcessor/refusal``.
    package var refusal: UnreadableStates.Refusal? { task.refusal }

    /// Per input, the offset of the next record to answer.
    package var positions: [Int64] { task.positions }

    /// Takes back one changelog record; see ``PartitionProcessor/restore(_:clockHeader:)``.
    package func restore(_ record: InputRecord, clockHeader: ByteSlice = .empty) {
        task.restore(record, clockHeader: clockHeader)
    }

    /// Takes back a record of another output than the changelog; ``InputRecord/input`` is the output's index.
    package func restoreSideOutput(_ record: InputRecord) {
        if let clock = record.clock { task.restoreClock(clock, of: record.input) }
        task.stage.restore(record)
    }

    /// Shows the stage a record of a replayed input that was answered before; see ``PartitionProcessor/recall(_:scratch:)``.
    package mutating func recall(_ record: InputRecord) {
        var scratch = OutputBatch(capacity: 1024)
        task.recall(record, scratch: &scratch)
    }

    /// Ends the restore; comes once, before the first record.
    package mutating func finishRestore() { task.finishRestore(into: &outputs) }

    /// Answers one record, after the punctuations that are due before it.
    package mutating func process(_ record: InputRecord) {
        task.process(record, source: 0, into: &outputs)
    }

    /// Lets stream time pass in silence.
    package mutating func pass(until now: Timestamp) {
        task.punctuate(upTo: now, into: &outputs)
    }

    /// Hands over the outputs made since the last call, in order and without repetitions, and forgets them.
    package mutating func takeOutputs(_ body: (Output) throws -> Void) rethrows {
        for index in 0..<outputs.count {
            if outputs.marks[index].isRepeated {
                repeated += 1
            } else {
                try body(output(at: index))
            }
        }
        outputs.removeAll()
    }

    private func output(at index: Int) -> Output {
        let output = outputs.batch.outputs[index]
        return Output(
            topic: output.topic, partition: outputs.marks[index].partition, clock: output.clock,
            timestamp: output.timestamp,
            key: outputs.batch.bytes.slice(output.key), value: output.value.map { outputs.batch.bytes.slice($0) },
            headers: outputs.batch.headers[output.headers].map { ($0.name, outputs.batch.bytes.slice($0.value)) },
            clockHeader: outputs.clockHeader(at: index), copiesInputHeaders: output.copiesInputHeaders)
    }
}

extension ByteSlice {
    static func text(_ text: StaticString) -> ByteSlice {
        ByteSlice(start: UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
    }
}
