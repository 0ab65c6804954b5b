import Model
import Support

/// The outputs of a stage together with what its task adds to each: the partition, the clock header, and whether the
/// output was there before.
package struct SequencedOutputs: ~Copyable {
    package struct Mark {
        package var partition: Int32
        /// The output does not advance the clock of its topic and partition: it was written before and is not written
        /// again.
        package var isRepeated: Bool
    }

    package var batch: OutputBatch
    /// One per output of ``batch``.
    package private(set) var marks: [Mark] = []
    private var headers: ByteWriter
    private let headerByteCount: Int

    /// Makes an empty batch.
    ///
    /// `inputs`: the number of inputs of the stage.
    package init(inputs: Int, capacity: Int = 1 << 16) {
        batch = OutputBatch(capacity: capacity)
        headers = ByteWriter(capacity: capacity / 4)
        headerByteCount = WatermarkHeader.byteCount(inputs: inputs)
    }

    package var count: Int { marks.count }
    package var isEmpty: Bool { marks.isEmpty }

    /// Forgets all outputs and keeps the memory, but not what an unusually large batch has taken.
    package mutating func removeAll() {
        batch.removeAll()
        marks.removeAll(keepingCapacity: marks.capacity <= OutputBatch.keptCount)
        headers.removeAll(keepingAtMost: OutputBatch.keptByteCount)
    }

    /// The ``RecordHeader/clock`` header of the output at `index`; valid until the next mutation.
    package func clockHeader(at index: Int) -> ByteSlice {
        headers.slice(index * headerByteCount..<(index + 1) * headerByteCount)
    }

    /// Stamps the outputs begun since the last call.
    ///
    /// `clocks`: one per topic; `nil` where outputs need not advance one.
    mutating func stamp(partition: Int32, positions: [Int64], clocks: inout [Watermark?]) {
        for index in marks.count..<batch.outputs.count {
            let (event, topic) = (batch.outputs[index].clock, batch.outputs[index].topic)
            WatermarkHeader.encode(event: event, positions: positions, into: &headers)
            marks.append(Mark(partition: partition, isRepeated: clocks[topic]?.advance(to: event) == false))
        }
    }
}
