import CRdKafka
import Kafka

/// A partition that a client reads.
final class FetchedPartition {
    let name: TopicPartition
    let topic: ClientTopic
    /// Number of the current fetch position; older records and responses are discarded.
    var version = 0
    /// The next offset to fetch, or a special value such as `RD_KAFKA_OFFSET_BEGINNING`.
    var next: Int64
    /// The offset after the last polled record; `nil` before the first.
    var position: Int64?
    var isPaused = false
    /// Whether a request is on its way.
    var isFetching = false
    /// Records in the queue.
    var queued = 0
    /// The offset at which the end was last reported.
    var reportedEnd: Int64?
    /// The stored offset for the next commit.
    var stored: KafkaCommit?
    var committed: KafkaCommit?

    init(_ name: TopicPartition, _ topic: ClientTopic, at offset: Int64) {
        self.name = name
        self.topic = topic
        next = offset
    }

    /// Discards queued records and continues at an offset.
    func restart(at offset: Int64) {
        version += 1
        next = offset
        isFetching = false
        queued = 0
        reportedEnd = nil
    }
}
