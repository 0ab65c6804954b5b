import Kafka
import Processing

/// State of a partition assigned to a sink's worker.
final class SinkPartitionState {
    let name: SinkPartition
    let topicPartition: TopicPartition
    let input: Int
    /// The offset of the next record to accept.
    private(set) var next: Int64
    /// The stored offset that the next write expects.
    ///
    /// Differs from ``next`` only while records are reread: those that the sink needs, or all of a truncated partition.
    private(set) var stored: Int64
    /// Offset before which records are already written, and reread only because the sink needs them.
    private var writtenBefore: Int64
    /// The records of the current batch, in offset order.
    var records: [InputRecord] = []
    /// Whether another writer advanced the partition, so that the stored offset must be reread before a write.
    var isSuperseded = false
    /// Whether the stored offset must be compared with ``stored``, because the store may have lost writes.
    var isUncertain = false

    init(name: SinkPartition, topicPartition: TopicPartition, input: Int, at position: SinkPosition) {
        self.name = name
        self.topicPartition = topicPartition
        self.input = input
        next = position.readFrom
        stored = position.next
        writtenBefore = position.next
    }

    /// The offset up to which everything is written; used for the lag.
    var progress: Int64 { max(next, writtenBefore) }

    /// Continues at the store's position.
    func move(to position: SinkPosition) {
        next = position.readFrom
        stored = position.next
        writtenBefore = position.next
    }

    /// Continues after a written batch.
    func move(past batch: PartitionBatch) {
        next = batch.records.last.map { $0.offset + 1 } ?? batch.to
        stored = batch.to
    }

    /// Continues at an earlier offset of a truncated partition.
    ///
    /// No record counts as written afterwards, because offsets before ``writtenBefore`` may belong to new records.
    func rewind(to offset: Int64) { (next, writtenBefore) = (offset, 0) }

    /// Returns whether a record was already written and is only reread.
    func isWritten(_ record: InputRecord) -> Bool { record.offset < writtenBefore }

    /// Adds a record to the current batch; ignores repeated records, and all records if superseded.
    func add(_ record: InputRecord) {
        guard !isSuperseded, record.offset >= (records.last.map { $0.offset + 1 } ?? next) else { return }
        records.append(record)
    }

    /// Returns the current batch; `nil` if it is empty.
    func batch() -> PartitionBatch? {
        guard let last = records.last else { return nil }
        return PartitionBatch(
            partition: name, records: records, from: stored, to: max(last.offset + 1, writtenBefore),
            writtenBefore: writtenBefore)
    }
}
