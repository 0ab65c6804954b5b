import CRdKafka

/// Messages of one or more polls, in order of arrival, in reused memory.
///
/// Used on one thread. Messages are valid until ``removeAll()``.
package final class KafkaBatch {
    package enum Entry {
        case message(KafkaMessage)
        /// The current end of the partition; `offset` is the offset of the next record.
        case end(input: Int, partition: Int32, offset: Int64)
        /// An error of the partition or the client; `offset` is the fetched offset if the error concerns one.
        case failure(input: Int?, partition: Int32, offset: Int64?, KafkaError)
    }

    package let capacity: Int
    private let messages: UnsafeMutablePointer<UnsafeMutablePointer<rd_kafka_message_t>?>
    private let topics: KafkaTopicTable
    /// The required permission on the group, for error messages.
    private let groupRight: KafkaRight
    package private(set) var count = 0

    init(capacity: Int, topics: KafkaTopicTable, groupRight: KafkaRight) {
        precondition(capacity > 0, "The capacity of a batch must be positive.")
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

    /// Destroys all messages.
    package func removeAll() {
        for index in 0..<count {
            if let message = messages[index] { rd_kafka_message_destroy(message) }
            messages[index] = nil
        }
        count = 0
    }

    /// Returns the entry at `index`; `nil` if its message was detached.
    package subscript(index: Int) -> Entry? {
        precondition(index >= 0 && index < count, "The index is outside the batch.")
        guard let message = messages[index] else { return nil }
        guard message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return errorEntry(message) }
        return .message(KafkaMessage(pointer: message, input: topics.index(of: message.pointee.rkt)))
    }

    /// Returns the message at `index`, faster than the subscript; `nil` if it is an error or
    /// detached.
    @inline(__always)
    package func message(at index: Int) -> KafkaMessage? {
        precondition(index >= 0 && index < count, "The index is outside the batch.")
        guard let message = messages[index], message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        return KafkaMessage(pointer: message, input: topics.index(of: message.pointee.rkt))
    }

    /// Removes and returns the message at `index`, which the caller must destroy.
    package func detach(at index: Int) -> KafkaMessage? {
        guard let message = message(at: index) else { return nil }
        messages[index] = nil
        return message
    }

    private func errorEntry(_ message: UnsafeMutablePointer<rd_kafka_message_t>) -> Entry {
        let input = message.pointee.rkt.map { topics.index(of: $0) }
        let partition = message.pointee.partition
        if message.pointee.err == RD_KAFKA_RESP_ERR__PARTITION_EOF, let input {
            return .end(input: input, partition: partition, offset: message.pointee.offset)
        }
        let detail = rd_kafka_message_errstr(message).map { String(cString: $0) }
        let topic = input.map { topics.names[$0] }
        let rights = [groupRight] + (topic.map { [KafkaRight(.read, on: .topic, $0)] } ?? [])
        // Negative offsets are special values, such as "none" or "beginning".
        let offset = message.pointee.offset >= 0 ? message.pointee.offset : nil
        let subject = topic.map { TopicPartition(topic: $0, partition: partition).description } ?? "topics"
        return .failure(
            input: input, partition: partition, offset: offset,
            KafkaError(message.pointee.err, while: "Reading \(subject)", detail: detail, needs: rights))
    }

    /// Waits up to `waitMilliseconds` for the first message, then adds available ones without waiting.
    func fill(from queue: OpaquePointer, waitMilliseconds: Int32) {
        guard !isFull else { return }
        // The call returns only when its array is full or the time is over, so wait for a single message.
        let first = rd_kafka_consume_batch_queue(queue, waitMilliseconds, messages + count, 1)
        guard first > 0 else { return }
        count += first
        guard !isFull else { return }
        let rest = rd_kafka_consume_batch_queue(queue, 0, messages + count, capacity - count)
        if rest > 0 { count += rest }
    }
}
