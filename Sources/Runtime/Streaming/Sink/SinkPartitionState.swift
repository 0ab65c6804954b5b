import Kafka
import Processing

/// A partition of a sink while this process holds it.
final class SinkPartitionState {
    let name: SinkPartition
    let topicPartition: TopicPartition
    let input: Int
    /// The offset of the next record to take.
    private(set) var next: Int64
    /// The store's clock: what the next write expects to find there.
    ///
    /// The same as ``next``, unless records are read again: those that the sink needs, or all where the topic has lost its
    /// end.
    private(set) var stored: Int64
    /// Records before this offset are written, and are read again as the sink needs them.
    private var writtenBefore: Int64
    /// The records of the batch at hand, in offset order.
    var records: [InputRecord] = []
    /// The store's clock has to be read again before anything is written.
    var isMisplaced = false
    /// The store's clock is to be compared with ``stored``: the store was away, and another may have taken its place that
    /// lacks what was written last.
    var isDoubtful = false
    /// Fetching was stopped by the worker.
    var isPaused = false

    init(name: SinkPartition, topicPartition: TopicPartition, input: Int, at position: SinkPosition) {
        self.name = name
        self.topicPartition = topicPartition
        self.input = input
        next = position.readFrom
        stored = position.next
        writtenBefore = position.next
    }

    /// The offset up to which everything is written: lags are measured from here.
    var progress: Int64 { max(next, writtenBefore) }

    /// Continues where the store says.
    func move(to position: SinkPosition) {
        next = position.readFrom
        stored = position.next
        writtenBefore = position.next
    }

    /// Continues after a batch that is written.
    func move(past batch: PartitionBatch) {
        next = batch.records.last.map { $0.offset + 1 } ?? batch.to
        stored = batch.to
    }

    /// Continues at an offset that the topic has, in place of one that it does not have.
    ///
    /// Of a topic that has lost its end nothing is taken for written: its offsets mean other records.
    func rewind(to offset: Int64) { (next, writtenBefore) = (offset, 0) }

    /// Whether a record was written before it was read this time.
    func isWritten(_ record: InputRecord) -> Bool { record.offset < writtenBefore }

    /// Adds a record to the batch at hand unless it was written before.
    func add(_ record: InputRecord) {
        guard !isMisplaced, record.offset >= (records.last.map { $0.offset + 1 } ?? next) else { return }
        records.append(record)
    }

    /// The batch at hand; `nil` when there is none.
    func batch() -> PartitionBatch? {
        guard let last = records.last else { return nil }
        return PartitionBatch(
            partition: name, records: records, from: stored, to: max(last.offset + 1, writtenBefore),
            writtenBefore: writtenBefore)
    }
}
