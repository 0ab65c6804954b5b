import CRdKafka

/// The messages of one poll or several, in the order of arrival, in memory that is reused.
///
/// Belongs to one thread. Everything handed out is borrowed until ``removeAll()``.
package final class KafkaBatch {
    /// What an entry of the batch is.
    package enum Entry {
        case message(KafkaMessage)
        /// The partition has been read to its end for now; `offset` is where the next record will be.
        case end(input: Int, partition: Int32, offset: Int64)
        /// The partition, or the client as a whole, has trouble; `offset` is the one that was fetched, where the
        /// trouble is with an offset.
        case failure(input: Int?, partition: Int32, offset: Int64?, KafkaError)
    }

    package let capacity: Int
    private let messages: UnsafeMutablePointer<UnsafeMutablePointer<rd_kafka_message_t>?>
    private let topics: KafkaTopicTable
    /// What the client needs on its group, for errors.
    private let groupRight: KafkaRight
    package private(set) var count = 0

    init(capacity: Int, topics: KafkaTopicTable, groupRight: KafkaRight) {
        precondition(capacity > 0, "A batch was made with no capacity.")
        self.capacity = capacity
        self.topics = topics
        self.groupRight = groupRight
        messages = .allocate(capacity: capacity)
        messages.initialize(repeating: nil, count: capacity)
    }

    deinit {
        removeAll()
        messages.deallocate()
    }

    package var isEmpty: Bool { count == 0 }
    package var isFull: Bool { count == capacity }

    /// Gives all messages back to the library.
    package func removeAll() {
        for index in 0..<count {
            if let message = messages[index] { rd_kafka_message_destroy(message) }
            messages[index] = nil
        }
        count = 0
    }

    /// The entry at `index`, or `nil` when its message was taken.
    package subscript(index: Int) -> Entry? {
        precondition(index >= 0 && index < count, "The index lies outside the batch.")
        guard let message = messages[index] else { return nil }
        guard message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return trouble(message) }
        return .message(KafkaMessage(pointer: message, input: topics.index(of: message.pointee.rkt)))
    }

    /// The message at `index`, or `nil` when the entry is something else or was taken: the quick way to most entries.
    @inline(__always)
    package func message(at index: Int) -> KafkaMessage? {
        precondition(index >= 0 && index < count, "The index lies outside the batch.")
        guard let message = messages[index], message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        return KafkaMessage(pointer: message, input: topics.index(of: message.pointee.rkt))
    }

    /// Takes the message at `index` out of the batch: the caller destroys it.
    package func take(at index: Int) -> KafkaMessage? {
        guard let message = message(at: index) else { return nil }
        messages[index] = nil
        return message
    }

    private func trouble(_ message: UnsafeMutablePointer<rd_kafka_message_t>) -> Entry {
        let input = message.pointee.rkt.map { topics.index(of: $0) }
        let partition = message.pointee.partition
        if message.pointee.err == RD_KAFKA_RESP_ERR__PARTITION_EOF, let input {
            return .end(input: input, partition: partition, offset: message.pointee.offset)
        }
        let detail = rd_kafka_message_errstr(message).map { String(cString: $0) }
        let topic = input.map { topics.names[$0] }
        let rights = [groupRight] + (topic.map { [KafkaRight(.read, on: .topic, $0)] } ?? [])
        // The library has negative numbers for "none" and for places such as the beginning.
        let offset = message.pointee.offset >= 0 ? message.pointee.offset : nil
        let place = topic.map { TopicPartition(topic: $0, partition: partition).description } ?? "topics"
        return .failure(
            input: input, partition: partition, offset: offset,
            KafkaError(message.pointee.err, while: "Reading \(place)", detail: detail, needs: rights))
    }

    /// Blocks for the first message for at most `waitMilliseconds`, then takes what is there without waiting.
    func fill(from queue: OpaquePointer, waitMilliseconds: Int32) {
        guard !isFull else { return }
        // The library's call returns when its array is full or the time is up, so the wait is for one message only.
        let first = rd_kafka_consume_batch_queue(queue, waitMilliseconds, messages + count, 1)
        guard first > 0 else { return }
        count += first
        guard !isFull else { return }
        let rest = rd_kafka_consume_batch_queue(queue, 0, messages + count, capacity - count)
        if rest > 0 { count += rest }
    }
}
