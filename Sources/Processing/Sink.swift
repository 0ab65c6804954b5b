import Support

/// One partition of one topic, as sinks name it; `topic` is without the prefix.
package struct SinkPartition: Hashable, Sendable {
    package var topic: String
    package var partition: Int32

    package init(topic: String, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }
}

/// Where a partition goes on.
package struct SinkPosition: Equatable, Sendable {
    /// The store's clock: the next offset to be written.
    package var next: Int64
    /// The offset that is read first: ``next``, or one before it where the sink needs records again that are written.
    package var readFrom: Int64

    /// `readFrom`: `next` unless told otherwise.
    package init(next: Int64, readFrom: Int64? = nil) {
        self.next = next
        self.readFrom = min(readFrom ?? next, next)
    }
}

/// Records of one partition, in offset order, to be written together.
package struct PartitionBatch {
    package var partition: SinkPartition
    package var records: [InputRecord]
    /// The clock that the store must hold for this write to be valid: the next offset expected, 0 for a new partition.
    ///
    /// It lies beyond the records where the topic has lost its end and is read again.
    package var from: Int64
    /// The clock after the write: the last record's offset + 1, or ``from`` where that is not reached yet.
    package var to: Int64
    /// Records before this offset were read again on the sink's wish (``SinkPosition/readFrom``): their events tell that
    /// they are written, and they are not counted as repetitions.
    package var writtenBefore: Int64

    package init(
        partition: SinkPartition, records: [InputRecord], from: Int64, to: Int64, writtenBefore: Int64 = 0
    ) {
        self.partition = partition
        self.records = records
        self.from = from
        self.to = to
        self.writtenBefore = writtenBefore
    }
}

/// A step of the pipeline from topics to a store, which keeps each partition's clock beside the data.
///
/// Calls block and come from one thread.
package protocol Sink: AnyObject {
    /// `position`, `history`: consumer group, metrics and logs carry it.
    static var name: String { get }
    /// The topics read, without the prefix; ``InputRecord/input`` indexes them.
    static var topics: [String] { get }
    /// Those of ``topics`` whose records say everything in key and value: their headers are not looked at, as that
    /// costs more than most of what is done with a record; none unless a sink says otherwise.
    static var topicsWithoutHeaders: Set<String> { get }

    /// Connects if needed and checks that the store is usable (reachable, schema migrated).
    /// - Throws: a ``ClassifiedError``; retriable while the store is merely away.
    func connect() throws

    /// The next offset each partition is to be read from; partitions never written are absent.
    func clocks(of partitions: [SinkPartition]) throws -> [SinkPartition: Int64]

    /// Where each partition goes on; partitions never written are absent.
    func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition]

    /// Partitions have gone to other workers, or are about to: nothing in memory of them is needed any more.
    func release(_ partitions: [SinkPartition])

    /// Writes all batches and advances their clocks in one transaction, dropping records that a zombie upstream
    /// appended twice (their ``EventID`` does not advance the partition's).
    ///
    /// `meanwhile` is called whenever the store works and the sink has nothing to do but wait; it may take some
    /// milliseconds, and nothing depends on how often it is called.
    ///
    /// - Returns: what was written, and the partitions whose clock did not hold ``PartitionBatch/from``: another writer
    ///   holds those; none of their records were written by this call, and the worker reads their clocks again.
    func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport

    /// What time it is by the store, which all workers share: one whose own clock is wrong must not clear things away.
    func now() throws -> Timestamp

    /// Maintenance, called about once a minute: partitions, sweeps. May do nothing.
    ///
    /// `now`: by ``now()``.
    func maintain(now: Timestamp) throws

    /// Closes the connection; a later call connects again.
    func disconnect()
}

extension Sink {
    package static var topicsWithoutHeaders: Set<String> { [] }

    package func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition] {
        try clocks(of: partitions).mapValues { SinkPosition(next: $0) }
    }

    package func release(_ partitions: [SinkPartition]) {}

    /// Writes with nothing to do meanwhile.
    /// - Throws: what ``write(_:meanwhile:)`` throws.
    package func write(_ batches: [PartitionBatch]) throws -> SinkReport { try write(batches, meanwhile: {}) }
}

/// What one ``Sink/write(_:meanwhile:)`` did.
package struct SinkReport: Sendable {
    package var superseded: [SinkPartition] = []
    /// Rows or keys written.
    package var written = 0
    /// Records dropped because they did not advance the partition's event clock.
    package var repeated = 0
    /// Records that could not be read; they are counted and skipped.
    package var unreadable = 0
    /// Records written of a day that the store has no place of its own for: too old to be kept, or too far from today.
    package var outsideDays = 0

    package init() {}
}
