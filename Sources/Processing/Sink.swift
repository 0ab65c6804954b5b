import Support

/// A partition of a topic; `topic` is without the prefix.
package struct SinkPartition: Hashable, Sendable {
    package var topic: String
    package var partition: Int32

    package init(topic: String, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }
}

/// Offsets at which a sink resumes a partition.
package struct SinkPosition: Equatable, Sendable {
    /// The stored offset of the next record to write.
    package var next: Int64
    /// The first offset to read: ``next``, or an earlier offset if the sink needs written records again.
    package var readFrom: Int64

    /// Creates a position; `readFrom` defaults to `next`, which it cannot exceed.
    package init(next: Int64, readFrom: Int64? = nil) {
        self.next = next
        self.readFrom = min(readFrom ?? next, next)
    }
}

/// Records of one partition, in offset order, to be written together.
package struct PartitionBatch {
    package var partition: SinkPartition
    package var records: [InputRecord]
    /// The next offset that must be stored for this write to be valid; 0 for a new partition.
    ///
    /// Greater than the records' offsets if the topic was truncated and is read again.
    package var from: Int64
    /// The next offset after the write: the last record's offset + 1, or ``writtenBefore`` if that is larger.
    package var to: Int64
    /// Offset below which records are already written, and were read because of ``SinkPosition/readFrom``.
    ///
    /// Such records are dropped by their event and not counted as repeated.
    package var writtenBefore: Int64

    package init(partition: SinkPartition, records: [InputRecord], from: Int64, to: Int64, writtenBefore: Int64 = 0) {
        (self.partition, self.records, self.from, self.to) = (partition, records, from, to)
        self.writtenBefore = writtenBefore
    }
}

/// A step from topics to a store, in which each partition's progress is stored with the data.
///
/// All calls are made on one thread and block it.
package protocol Sink: AnyObject {
    /// `position`, `history` or `push`; part of the consumer group, metrics and logs.
    static var name: String { get }
    /// The topics read, without the prefix; ``InputRecord/input`` is an index into them.
    static var topics: [String] { get }
    /// The topics whose headers are not parsed, to save time; empty by default.
    static var topicsWithoutHeaders: Set<String> { get }

    /// Connects if needed and checks that the store is usable (reachable, schema migrated).
    /// - Throws: a ``ClassifiedError``; retriable while the store is unreachable.
    func connect() throws

    /// Reads the offsets to resume at from the store; partitions that were never written are absent.
    func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition]

    /// Discards the state in memory of partitions that were or will be revoked.
    func release(_ partitions: [SinkPartition])

    /// Writes all batches and advances their offsets and watermarks in one transaction.
    ///
    /// Drops records whose event does not advance the partition's watermark, because an upstream process that no longer
    /// owned its partition wrote them again. The sink may call `meanwhile` several times while it waits for the store;
    /// each call may last some milliseconds.
    ///
    /// - Returns: counts, and the superseded partitions, whose stored offset is not ``PartitionBatch/from``. Another
    ///   worker has written them; this call wrote none of their records. The worker reads their offsets again.
    func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport

    /// Returns the store's time, for ``maintain(now:)``, because a worker with a wrong wall clock must not delete data.
    func now() throws -> Timestamp

    /// Performs maintenance, such as creating table partitions or deleting expired data; called about once a minute.
    func maintain(now: Timestamp) throws

    /// Closes the connection; the next call reconnects.
    func disconnect()
}

extension Sink {
    package static var topicsWithoutHeaders: Set<String> { [] }

    /// Reads the next offset of each partition from the store; partitions that were never written are absent.
    package func nextOffsets(of partitions: [SinkPartition]) throws -> [SinkPartition: Int64] {
        try positions(of: partitions).mapValues(\.next)
    }

    package func release(_ partitions: [SinkPartition]) {}

    package func write(_ batches: [PartitionBatch]) throws -> SinkReport { try write(batches, meanwhile: {}) }
}

package struct SinkReport: Sendable {
    /// Partitions whose records were not written; see ``Sink/write(_:meanwhile:)``.
    package var superseded: [SinkPartition] = []
    package var written = 0
    /// Records dropped because they did not advance the partition's watermark.
    package var repeated = 0
    /// Records that could not be read and were skipped.
    package var unreadable = 0
    /// Records written to the table's default partition, because their day has no partition.
    package var outsideDays = 0

    package init() {}
}
