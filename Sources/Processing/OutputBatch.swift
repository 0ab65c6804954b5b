import Model
import Support

/// What a stage made of the records it was given, in order, in memory that is reused from batch to batch.
///
/// ```swift
/// outputs.begin(topic: changelog, clock: id, timestamp: received, key: driver)
/// outputs.writeValue { encoder.write(verdict, into: &$0) }
/// outputs.writeHeader(RecordHeader.state) { state.encode(into: &$0) }
/// ```
package struct OutputBatch: ~Copyable {
    package struct Output {
        /// Index into ``ProcessorLayout/outputs``; 0 is the changelog.
        package var topic: Int
        package var clock: EventID
        package var timestamp: Timestamp
        package var key: Range<Int>
        /// `nil` writes a tombstone.
        package var value: Range<Int>?
        /// Indices into ``OutputBatch/headers``.
        package var headers: Range<Int>
        /// What ``OutputBatch/source`` was when the output was begun: the worker's number of the input record.
        package var source: Int
        /// Whether the input record's own headers are to be copied in front of ``headers`` (dead letters).
        package var copiesInputHeaders: Bool
    }

    package struct Header {
        package var name: StaticString
        package var value: Range<Int>
    }

    package private(set) var outputs: [Output] = []
    package private(set) var headers: [Header] = []
    package var bytes: ByteWriter
    /// Set by the stage's task before each call; copied into every output.
    package var source = 0

    package init(capacity: Int = 1 << 16) { bytes = ByteWriter(capacity: capacity) }

    /// Bytes and outputs from which on a batch is sent without waiting for the end of a poll.
    package static let fullByteCount = 8 << 20
    package static let fullCount = 1 << 16

    /// Bytes that are kept for the next batch: as many as a full one may have grown to, and no more.
    static let keptByteCount = 2 * fullByteCount
    static let keptCount = 2 * fullCount

    /// Whether so much waits that it should be sent before another record is processed.
    package var isFull: Bool { bytes.count >= Self.fullByteCount || outputs.count >= Self.fullCount }

    /// Forgets all outputs and keeps the memory, but not what an unusually large batch has taken.
    package mutating func removeAll() {
        outputs.removeAll(keepingCapacity: outputs.capacity <= Self.keptCount)
        headers.removeAll(keepingCapacity: headers.capacity <= 4 * Self.keptCount)
        bytes.removeAll(keepingAtMost: Self.keptByteCount)
    }

    /// Starts the next output; value and headers are written to it by the calls that follow.
    package mutating func begin(
        topic: Int, clock: EventID, timestamp: Timestamp, key: ByteSlice, copiesInputHeaders: Bool = false
    ) {
        let start = bytes.count
        bytes.append(key)
        outputs.append(
            Output(
                topic: topic, clock: clock, timestamp: timestamp, key: start..<bytes.count, value: nil,
                headers: headers.count..<headers.count, source: source, copiesInputHeaders: copiesInputHeaders))
    }

    /// Writes the value of the output begun last; without this call the output is a tombstone.
    @inline(__always)
    package mutating func writeValue(_ write: (inout ByteWriter) -> Void) {
        precondition(!outputs.isEmpty, "writeValue was called before begin(topic:clock:timestamp:key:).")
        let start = bytes.count
        write(&bytes)
        outputs[outputs.count - 1].value = start..<bytes.count
    }

    /// Adds a header to the output begun last.
    @inline(__always)
    package mutating func writeHeader(_ name: StaticString, _ write: (inout ByteWriter) -> Void) {
        precondition(!outputs.isEmpty, "writeHeader was called before begin(topic:clock:timestamp:key:).")
        let start = bytes.count
        write(&bytes)
        headers.append(Header(name: name, value: start..<bytes.count))
        let last = outputs.count - 1
        outputs[last].headers = outputs[last].headers.lowerBound..<headers.count
    }
}
