import Domain
import Support

/// Outputs of a processor, in order; the next batch reuses the memory.
///
/// ```swift
/// outputs.begin(topic: changelog, event: id, timestamp: received, key: driver)
/// outputs.writeValue { encoder.write(verdict, into: &$0) }
/// outputs.writeHeader(RecordHeader.state) { state.encode(into: &$0) }
/// ```
package struct OutputBatch: ~Copyable {
    package struct Output {
        /// Index into ``ProcessorLayout/outputs``; 0 is the changelog.
        package var topic: Int
        package var event: EventID
        package var timestamp: Timestamp
        package var key: Range<Int>
        /// `nil` writes a tombstone.
        package var value: Range<Int>?
        /// Indices into ``OutputBatch/headers``.
        package var headers: Range<Int>
        /// The value of ``OutputBatch/source`` when the output was begun.
        package var source: Int
        /// Whether the input record's own headers are copied in front of ``headers`` (dead letters).
        package var copiesInputHeaders: Bool
    }

    package struct Header {
        package var name: StaticString
        package var value: Range<Int>
    }

    package private(set) var outputs: [Output] = []
    package private(set) var headers: [Header] = []
    package var bytes: ByteWriter
    /// The worker's number of the current input record, copied into every output; -1 without an input record.
    package var source = 0

    package init(capacity: Int = 1 << 16) { bytes = ByteWriter(capacity: capacity) }

    /// Number of bytes or outputs from which a batch is sent before all records of a poll are processed.
    package static let fullByteCount = 8 << 20
    package static let fullCount = 1 << 16

    /// Maximum memory kept for the next batch, in bytes and outputs; a full batch may have grown to this.
    static let keptByteCount = 2 * fullByteCount
    static let keptCount = 2 * fullCount

    /// Whether the batch should be sent before the next record is processed.
    package var isFull: Bool { bytes.count >= Self.fullByteCount || outputs.count >= Self.fullCount }

    /// Removes all outputs; releases memory that only an unusually large batch needs.
    package mutating func removeAll() {
        outputs.removeAll(keepingCapacity: outputs.capacity <= Self.keptCount)
        headers.removeAll(keepingCapacity: headers.capacity <= 4 * Self.keptCount)
        bytes.removeAll(keepingAtMost: Self.keptByteCount)
    }

    /// Begins the next output; later calls write its value and headers.
    package mutating func begin(
        topic: Int, event: EventID, timestamp: Timestamp, key: ByteSlice, copiesInputHeaders: Bool = false
    ) {
        let start = bytes.count
        bytes.append(key)
        outputs.append(
            Output(
                topic: topic, event: event, timestamp: timestamp, key: start..<bytes.count, value: nil,
                headers: headers.count..<headers.count, source: source, copiesInputHeaders: copiesInputHeaders))
    }

    /// Writes the value of the last output; without this call the output is a tombstone.
    @inline(__always) package mutating func writeValue(_ write: (inout ByteWriter) -> Void) {
        precondition(!outputs.isEmpty, "writeValue was called before begin(topic:event:timestamp:key:).")
        let start = bytes.count
        write(&bytes)
        outputs[outputs.count - 1].value = start..<bytes.count
    }

    @inline(__always) package mutating func writeHeader(_ name: StaticString, _ write: (inout ByteWriter) -> Void) {
        precondition(!outputs.isEmpty, "writeHeader was called before begin(topic:event:timestamp:key:).")
        let start = bytes.count
        write(&bytes)
        headers.append(Header(name: name, value: start..<bytes.count))
        let last = outputs.count - 1
        outputs[last].headers = outputs[last].headers.lowerBound..<headers.count
    }
}
