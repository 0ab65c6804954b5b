import Kafka
import Pipeline
import Tracking

/// A partition of a sink while this process holds it.
final class SinkPartitionState {
    let name: SinkPartition
    let topicPartition: TopicPartition
    let input: Int
    /// The offset of the next record to write.
    var next: Int64
    /// The store's clock: what the next write expects to find there.
    ///
    /// The same as ``next``, unless the topic has lost its end and is read again.
    var stored: Int64
    /// The records of the batch at hand, in offset order.
    var records: [InputRecord] = []
    /// The store's clock has to be read again before anything is written.
    var isMisplaced = false
    /// The store's clock is to be compared with ``stored``: the store was away, and another may have taken its place that
    /// lacks what was written last.
    var isDoubtful = false
    /// Fetching was stopped by the worker.
    var isPaused = false

    init(name: SinkPartition, topicPartition: TopicPartition, input: Int, next: Int64) {
        self.name = name
        self.topicPartition = topicPartition
        self.input = input
        self.next = next
        stored = next
    }

    /// Continues where the store's clock says.
    func move(to offset: Int64) { (next, stored) = (offset, offset) }

    /// Adds a record to the batch at hand unless it was written before.
    func add(_ record: InputRecord) {
        guard !isMisplaced, record.offset >= (records.last.map { $0.offset + 1 } ?? next) else { return }
        records.append(record)
    }

    /// The batch at hand; `nil` when there is none.
    func batch() -> PartitionBatch? {
        guard let last = records.last else { return nil }
        return PartitionBatch(partition: name, records: records, from: stored, to: last.offset + 1)
    }
}
