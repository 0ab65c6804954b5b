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
    /// The next offset to write, as the store has it.
    package var next: Int64
    /// The first offset to read: ``next``, or an earlier one if the sink needs written records again.
    package var readFrom: Int64

    /// `readFrom` defaults to `next`.
    package init(next: Int64, readFrom: Int64? = nil) {
        self.next = next
        self.readFrom = min(readFrom ?? next, next)
    }
}

/// Records of one partition, in offset order, to be written together.
package struct PartitionBatch {
    package var partition: SinkPartition
    package var records: [InputRecord]
    /// The next offset that the store must have for this write to be valid; 0 for a new partition.
    ///
    /// Beyond the records if the topic was truncated and is read again.
    package var from: Int64
    /// The next offset after the write: the last record's offset + 1, but not less than ``from``
    /// unless the topic was truncated.
    package var to: Int64
    /// Records before this offset were read again because of ``SinkPosition/readFrom``; they are dropped by their event
    /// and not counted as repeated.
    package var writtenBefore: Int64

    package init(partition: SinkPartition, records: [InputRecord], from: Int64, to: Int64, writtenBefore: Int64 = 0) {
        (self.partition, self.records, self.from, self.to) = (partition, records, from, to)
        self.writtenBefore = writtenBefore
    }
}

/// A step from topics to a store, which keeps each partition's progress with the data.
///
/// All calls block one thread.
package protocol Sink: AnyObject {
    /// `position`, `history` or `push`, as in consumer group, metrics and logs.
    static var name: String { get }
    /// The topics read, without the prefix; ``InputRecord/input`` indexes them.
    static var topics: [String] { get }
    /// Those of ``topics`` whose headers are not parsed.
    ///
    /// Saves time if the sink needs key and value only. Default: empty.
    static var topicsWithoutHeaders: Set<String> { get }

    /// Connects if needed and checks that the store is usable (reachable, schema migrated).
    /// - Throws: a ``ClassifiedError``; retriable while the store is unreachable.
    func connect() throws

    /// Reads the next offset of each partition from the store; partitions never written are absent.
    func nextOffsets(of partitions: [SinkPartition]) throws -> [SinkPartition: Int64]

    /// Reads the offsets to resume at; partitions never written are absent.
    func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition]

    /// Discards the state in memory of partitions that were or will be revoked.
    func release(_ partitions: [SinkPartition])

    /// Writes all batches and advances their offsets and watermarks in one transaction.
    ///
    /// Drops records whose event does not advance the partition's watermark: an upstream process that no longer owned
    /// the partition wrote them twice. `meanwhile` is called, any number of times, while the sink waits for the store;
    /// it may run for some milliseconds.
    ///
    /// - Returns: what was written, and the superseded partitions, whose stored offset is not ``PartitionBatch/from``:
    ///   another writer has them, this call wrote none of their records, and the worker reads their offsets again.
    func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport

    /// The store's time, for ``maintain(now:)``: a worker with a wrong wall clock must not delete data.
    func now() throws -> Timestamp

    /// Performs maintenance, such as creating table partitions or deleting expired data; called about once a minute.
    func maintain(now: Timestamp) throws

    /// Closes the connection; the next call reconnects.
    func disconnect()
}

extension Sink {
    package static var topicsWithoutHeaders: Set<String> { [] }

    package func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition] {
        try nextOffsets(of: partitions).mapValues { SinkPosition(next: $0) }
    }

    package func release(_ partitions: [SinkPartition]) {}

    package func write(_ batches: [PartitionBatch]) throws -> SinkReport { try write(batches, meanwhile: {}) }
}

package struct SinkReport: Sendable {
    package var superseded: [SinkPartition] = []
    /// Rows or keys written.
    package var written = 0
    /// Records dropped because they did not advance the partition's watermark.
    package var repeated = 0
    /// Records that could not be read and were skipped.
    package var unreadable = 0
    /// Records written to the default partition, because no partition exists for their day.
    package var outsideDays = 0

    package init() {}
}
