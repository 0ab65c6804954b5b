import Domain
import Support

/// Runner of a processor over records in memory, for offline runs and tests; the worker does the same with Kafka.
///
/// ```swift
/// var runner = InMemoryRunner(layout: LocationProcessor.layout, processor: LocationProcessor(settings))
/// runner.process(record)
/// runner.drainOutputs { output in print(output.value?.string ?? "") }
/// ```
package struct InMemoryRunner: ~Copyable {
    /// One output; its slices are valid only during the call that receives it.
    package struct Output {
        /// Index into ``ProcessorLayout/outputs``; 0 is the changelog.
        package var topic: Int
        package var partition: Int32
        package var event: EventID
        package var timestamp: Timestamp
        package var key: ByteSlice
        /// `nil` for a tombstone.
        package var value: ByteSlice?
        /// The headers that the processor wrote.
        package var headers: [(name: StaticString, value: ByteSlice)]
        /// The value of the ``RecordHeader/watermark`` header.
        package var watermarkHeader: ByteSlice
        /// See ``OutputBatch/Output/copiesInputHeaders``.
        package var copiesInputHeaders: Bool

        package var byteCount: Int {
            headers.reduce(key.count + (value?.count ?? 0) + watermarkHeader.count) {
                $0 + $1.name.utf8CodeUnitCount + $1.value.count
            }
        }

        /// Returns the output as an input record of the next processor, or as a changelog record for a restore.
        package func record(input: Int = 0, offset: Int64) -> InputRecord {
            let state = headers.last { ByteSlice($0.name) == RecordHeader.state }
            return InputRecord(
                input: input, partition: partition, offset: offset, timestamp: timestamp, key: key, value: value,
                event: event, state: state?.value ?? .empty)
        }
    }

    private let execution: PartitionProcessor
    private var outputs: SequencedOutputs
    /// Number of outputs dropped because they did not advance the watermark of their topic.
    package private(set) var repeated = 0

    package init(layout: ProcessorLayout, partition: Int32 = 0, processor: any Processor) {
        execution = PartitionProcessor(layout: layout, partition: partition, processor: processor)
        outputs = SequencedOutputs(inputs: layout.inputs.count)
    }

    /// See ``PartitionProcessor/versionMismatch``.
    package var versionMismatch: UnreadableStates.VersionMismatch? { execution.versionMismatch }

    /// Per input, the offset of the next record to process.
    package var positions: [Int64] { execution.positions }

    /// Restores from one changelog record; see ``PartitionProcessor/restore(_:watermarkHeader:)``.
    package func restore(_ record: InputRecord, watermarkHeader: ByteSlice = .empty) {
        execution.restore(record, watermarkHeader: watermarkHeader)
    }

    /// Restores from a record of an output other than the changelog; ``InputRecord/input`` is the output's index.
    package func restoreSideOutput(_ record: InputRecord) {
        if let event = record.event { execution.restoreWatermark(event, of: record.input) }
        execution.processor.restore(record)
    }

    /// Replays a record that was processed before the restore; see ``PartitionProcessor/replay(_:scratch:)``.
    package mutating func replay(_ record: InputRecord) {
        var scratch = OutputBatch(capacity: 1024)
        execution.replay(record, scratch: &scratch)
    }

    /// Ends the restore; called once, before the first record.
    package mutating func finishRestore() { execution.finishRestore(into: &outputs) }

    /// Processes one record, after the punctuations that are due before it.
    package mutating func process(_ record: InputRecord) { execution.process(record, source: 0, into: &outputs) }

    /// Fires the punctuations due at or before `now`, without a record.
    package mutating func advanceStreamTime(to now: Timestamp) { execution.punctuate(upTo: now, into: &outputs) }

    /// Passes the outputs since the last call to `body`, in order and without duplicates, and removes them.
    package mutating func drainOutputs(_ body: (Output) throws -> Void) rethrows {
        for index in 0..<outputs.count {
            if outputs.entries[index].isDuplicate {
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
            topic: output.topic, partition: outputs.entries[index].partition, event: output.event,
            timestamp: output.timestamp,
            key: outputs.batch.bytes.slice(output.key), value: output.value.map { outputs.batch.bytes.slice($0) },
            headers: outputs.batch.headers[output.headers].map { ($0.name, outputs.batch.bytes.slice($0.value)) },
            watermarkHeader: outputs.watermarkHeader(at: index), copiesInputHeaders: output.copiesInputHeaders)
    }
}
