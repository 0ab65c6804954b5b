import Domain
import Support

/// Outputs of a processor with their partition, watermark header and duplicate flag.
package struct SequencedOutputs: ~Copyable {
    package struct Entry {
        package var partition: Int32
        /// Whether the output was written before and is dropped, because it does not advance its topic's watermark.
        package var isDuplicate: Bool
    }

    package var batch: OutputBatch
    package private(set) var entries: [Entry] = []
    private var headers: ByteWriter
    private let headerByteCount: Int

    package init(inputs: Int) {
        batch = OutputBatch()
        headers = ByteWriter(capacity: 1 << 14)
        headerByteCount = WatermarkHeader.byteCount(inputs: inputs)
    }

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    /// Removes all outputs; releases memory that only an unusually large batch needs.
    package mutating func removeAll() {
        batch.removeAll()
        entries.removeAll(keepingCapacity: entries.capacity <= OutputBatch.keptCount)
        headers.removeAll(keepingAtMost: OutputBatch.keptByteCount)
    }

    /// Returns the ``RecordHeader/watermark`` header of the output at `index`; valid until the next mutation.
    package func watermarkHeader(at index: Int) -> ByteSlice {
        headers.slice(index * headerByteCount..<(index + 1) * headerByteCount)
    }

    /// Adds an entry for each output begun since the last call; topics without a watermark have no duplicates.
    mutating func addEntries(partition: Int32, positions: [Int64], watermarks: inout [Watermark?]) {
        for index in entries.count..<batch.outputs.count {
            let (event, topic) = (batch.outputs[index].event, batch.outputs[index].topic)
            WatermarkHeader.encode(event: event, positions: positions, into: &headers)
            entries.append(Entry(partition: partition, isDuplicate: watermarks[topic]?.advance(to: event) == false))
        }
    }
}
