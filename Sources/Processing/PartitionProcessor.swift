import Model
import Support

/// Drives one stage instance down one partition: punctuations before the record that passes them, keeps the positions
/// that the outputs' clock headers carry, and recognises outputs that were written before.
///
/// `StreamWorker` drives partitions of Kafka with it and ``InMemoryRunner`` records in memory, so that both do the same.
/// Belongs to one thread.
package final class PartitionProcessor {
    package let partition: Int32
    package let stage: any Processor
    package private(set) var time: PunctuationClock
    /// Per input, the offset of the next record to answer; everything before is answered.
    package private(set) var positions: [Int64]
    /// One per output; `nil` where outputs need not advance one.
    private var clocks: [Watermark?]
    private var unreadableClocks = UnreadableStates()

    package init(layout: ProcessorLayout, partition: Int32, stage: any Processor) {
        self.partition = partition
        self.stage = stage
        time = PunctuationClock(punctuationIntervalMilliseconds: layout.punctuationIntervalMilliseconds)
        positions = Array(repeating: 0, count: layout.inputs.count)
        clocks = layout.outputs.map { $0.delivery == .checkpoint ? nil : Watermark() }
    }

    /// Takes back one changelog record: the stage's state, the positions and the clock.
    ///
    /// `clockHeader`: the record's ``RecordHeader/clock`` header; empty where there is none.
    package func restore(_ record: InputRecord, clockHeader: ByteSlice) {
        stage.restore(record)
        if let version = clockHeader.buffer.first, let problem = WatermarkHeader.versions.problem(of: version) {
            unreadableClocks.note("a record's clock", problem)
        }
        time.advance(to: record.timestamp)
        // The punctuations up to the record came before it, when it was written.
        while time.nextPunctuation(upTo: record.timestamp) != nil {}
        WatermarkHeader.raise(&positions, by: clockHeader)
        if let clock = record.clock { _ = clocks[0]?.advance(to: clock) }
    }

    /// Why the partition cannot be carried on from what was restored; `nil` when it can.
    package var refusal: UnreadableStates.Refusal? { unreadableClocks.refusal ?? stage.unreadable.refusal }

    /// Takes back the clock of a record of the output numbered `output`.
    package func restoreClock(_ clock: EventID, of output: Int) {
        _ = clocks[output]?.advance(to: clock)
    }

    /// Says where input `input` goes on, if that lies ahead of what the changelog said.
    package func restorePosition(_ position: Int64, of input: Int) {
        positions[input] = max(positions[input], position)
    }

    /// Ends the restore; comes once, after every `restore…`.
    package func finishRestore(into outputs: inout SequencedOutputs) {
        outputs.batch.source = -1
        stage.finishRestore(into: &outputs.batch)
        stamp(&outputs)
    }

    /// Shows the stage a record that was answered before this process began: a memory, not an event.
    ///
    /// `scratch`: left empty; whatever the stage answers has been written before.
    package func recall(_ record: InputRecord, scratch: inout OutputBatch) {
        stage.process(record.withoutHeaders, into: &scratch)
        scratch.removeAll()
    }

    /// Answers one record, after the punctuations that are due before it.
    ///
    /// `source`: the number that ``OutputBatch/Output/source`` of its outputs carries.
    package func process(_ record: InputRecord, source: Int, into outputs: inout SequencedOutputs) {
        let record = record.withoutHeaders
        punctuate(upTo: record.timestamp, into: &outputs)
        time.advance(to: record.timestamp)
        // The record in work keeps its own offset as the position: it may have been answered in part.
        if record.offset > positions[record.input] {
            positions[record.input] = record.offset
        }
        outputs.batch.source = source
        stage.process(record, into: &outputs.batch)
        stamp(&outputs)
        if record.offset >= positions[record.input] {
            positions[record.input] = record.offset + 1
        }
    }

    /// Fires the punctuations due at or before `now`; their outputs' source is -1.
    package func punctuate(upTo now: Timestamp, into outputs: inout SequencedOutputs) {
        while let due = time.nextPunctuation(upTo: now) {
            outputs.batch.source = -1
            stage.punctuate(now: due, into: &outputs.batch)
            stamp(&outputs)
        }
    }

    @inline(__always)
    private func stamp(_ outputs: inout SequencedOutputs) {
        guard outputs.count < outputs.batch.outputs.count else { return }
        outputs.stamp(partition: partition, positions: positions, clocks: &clocks)
    }
}
