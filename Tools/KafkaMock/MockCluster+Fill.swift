import Kafka
import Support

extension MockCluster {
    /// Appends a record to every partition of `topics`.
    ///
    /// Of an empty partition the mock cluster tells the end, whatever error it answers with; a broker does not.
    /// - Throws: ``KafkaError``, also when a record is not acknowledged within a minute.
    package func fill(_ topics: [String], partitions: Int) throws {
        let producer = try KafkaProducer(configuration) { _ in }
        for name in topics {
            let topic = try producer.topic(name)
            for partition in 0..<partitions {
                ByteSlice.withBytes(of: "value") { value in
                    _ = producer.produce(
                        .init(key: value, value: value, timestamp: Timestamp(milliseconds: 1)), to: topic,
                        partition: Int32(partition), token: 0)
                }
            }
        }
        var failure: KafkaError?
        let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, error in failure = error ?? failure }
        if let failure { throw failure }
        guard isDone else { throw KafkaError(.timedOut, "The mock cluster acknowledged no record for a minute.") }
    }

    /// Has a partition lose its first records, as retention does: it is filled with large ones, all of which together
    /// it does not keep.
    /// - Returns: the offsets that are there afterwards.
    /// - Throws: ``KafkaError``.
    package func overrun(_ topic: String, partition: Int32) throws -> KafkaOffsetRange {
        let name = TopicPartition(topic: topic, partition: partition)
        let admin = try KafkaAdmin(configuration) { _ in }
        let producer = try KafkaProducer(configuration) { _ in }
        let handle = try producer.topic(topic)
        let end = try admin.offsetRange(of: name).high
        // Text that the producer cannot compress.
        var generator = SystemRandomNumberGenerator()
        let value = (0..<100_000).flatMap { _ in
            withUnsafeBytes(of: generator.next()) { bytes in bytes.map { $0 & 0x3f | 0x40 } }
        }
        var marks = try admin.offsetRange(of: name)
        while marks.low <= end {
            value.withUnsafeBytes { value in
                let value = ByteSlice(start: value.baseAddress, count: value.count)
                _ = producer.produce(
                    .init(key: .empty, value: value, timestamp: Timestamp(milliseconds: 1)), to: handle,
                    partition: partition, token: 0)
            }
            // One by one: the cluster drops whole batches.
            let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, _ in }
            guard isDone else { throw KafkaError(.timedOut, "The mock cluster acknowledged no record for a minute.") }
            marks = try admin.offsetRange(of: name)
        }
        return marks
    }
}
