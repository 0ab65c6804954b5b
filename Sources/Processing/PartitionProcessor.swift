import Domain
import Support

/// Execution of one processor over one partition: punctuations, input positions and detection of duplicate outputs.
///
/// `StreamWorker` uses it with Kafka, and ``InMemoryRunner`` in memory; all calls must be made on one thread.
package final class PartitionProcessor {
    package let partition: Int32
    package let processor: any Processor
    package private(set) var time: PunctuationClock
    /// Per input, the offset of the next record to process.
    package private(set) var positions: [Int64]
    /// Watermark of each output; `nil` for checkpoints, several of whose records may have the same event.
    private var watermarks: [Watermark?]
    private var unreadableHeaders = UnreadableStates()

    package init(layout: ProcessorLayout, partition: Int32, processor: any Processor) {
        self.partition = partition
        self.processor = processor
        time = PunctuationClock(punctuationIntervalMilliseconds: layout.punctuationIntervalMilliseconds)
        positions = Array(repeating: 0, count: layout.inputs.count)
        watermarks = layout.outputs.map { $0.delivery == .checkpoint ? nil : Watermark() }
    }

    /// Restores state, positions and watermark from a changelog record and its watermark header (may be empty).
    package func restore(_ record: InputRecord, watermarkHeader: ByteSlice) {
        processor.restore(record)
        if let version = watermarkHeader.buffer.first, let problem = WatermarkHeader.versions.problem(of: version) {
            unreadableHeaders.record("a record's watermark", problem)
        }
        time.advance(to: record.timestamp)
        // The punctuations up to the record fired before it was written.
        while time.nextPunctuation(upTo: record.timestamp) != nil {}
        WatermarkHeader.raise(&positions, by: watermarkHeader)
        if let event = record.event { _ = watermarks[0]?.advance(to: event) }
    }

    /// The first restored state or header of an unsupported version; `nil` if the partition can be processed.
    package var versionMismatch: UnreadableStates.VersionMismatch? {
        unreadableHeaders.versionMismatch ?? processor.unreadable.versionMismatch
    }

    /// Advances the watermark of the output with the index `output` to the event of a restored record.
    package func restoreWatermark(_ event: EventID, of output: Int) { _ = watermarks[output]?.advance(to: event) }

    /// Advances the position of the input with the index `input` to `position`, if that is later.
    package func restorePosition(_ position: Int64, of input: Int) {
        positions[input] = max(positions[input], position)
    }

    /// Ends the restore; called once, after every `restore…`.
    package func finishRestore(into outputs: inout SequencedOutputs) {
        outputs.batch.source = -1
        processor.finishRestore(into: &outputs.batch)
        addEntries(to: &outputs)
    }

    /// Replays a record to rebuild state, and drops its outputs; `scratch` is empty before and after.
    package func replay(_ record: InputRecord, scratch: inout OutputBatch) {
        processor.process(record.withoutHeaders, into: &scratch)
        scratch.removeAll()
    }

    /// Processes one record, after the punctuations due before it; `source` is set as ``OutputBatch/source``.
    package func process(_ record: InputRecord, source: Int, into outputs: inout SequencedOutputs) {
        let record = record.withoutHeaders
        punctuate(upTo: record.timestamp, into: &outputs)
        time.advance(to: record.timestamp)
        // Its outputs carry the record's own offset, not the next one, because a crash may lose some of the outputs.
        if record.offset > positions[record.input] { positions[record.input] = record.offset }
        outputs.batch.source = source
        processor.process(record, into: &outputs.batch)
        addEntries(to: &outputs)
        if record.offset >= positions[record.input] { positions[record.input] = record.offset + 1 }
    }

    /// Fires the punctuations due at or before `now`.
    package func punctuate(upTo now: Timestamp, into outputs: inout SequencedOutputs) {
        while let due = time.nextPunctuation(upTo: now) {
            outputs.batch.source = -1
            processor.punctuate(now: due, into: &outputs.batch)
            addEntries(to: &outputs)
        }
    }

    @inline(__always) private func addEntries(to outputs: inout SequencedOutputs) {
        guard outputs.count < outputs.batch.outputs.count else { return }
        outputs.addEntries(partition: partition, positions: positions, watermarks: &watermarks)
    }
}
