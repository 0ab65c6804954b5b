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
    /// Equal to ``next`` unless records are reread: those that the sink needs, or all records of a truncated partition.
    private(set) var stored: Int64
    /// Records before this offset are already written and only reread because the sink needs them.
    private var writtenBefore: Int64
    /// The records of the current batch, in offset order.
    var records: [InputRecord] = []
    /// Another writer advanced the partition; the stored offset must be reread before a write.
    var isSuperseded = false
    /// The stored offset must be compared with ``stored``: a store that failed over may lack the last writes.
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

    /// Whether a record was already written and is only reread.
    func isWritten(_ record: InputRecord) -> Bool { record.offset < writtenBefore }

    /// Adds a record to the current batch, unless the partition is superseded or the record was added before.
    func add(_ record: InputRecord) {
        guard !isSuperseded, record.offset >= (records.last.map { $0.offset + 1 } ?? next) else { return }
        records.append(record)
    }

    /// The current batch; `nil` if it is empty.
    func batch() -> PartitionBatch? {
        guard let last = records.last else { return nil }
        return PartitionBatch(
            partition: name, records: records, from: stored, to: max(last.offset + 1, writtenBefore),
            writtenBefore: writtenBefore)
    }
}
