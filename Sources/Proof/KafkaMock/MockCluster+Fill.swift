import Bytes
import Kafka
import Tracking

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
                        partition: Int32(partition), ticket: 0)
                }
            }
        }
        var failure: KafkaError?
        let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, error in failure = error ?? failure }
        if let failure { throw failure }
        guard isDone else { throw KafkaError(.timedOut, "The mock cluster acknowledged no record for a minute.") }
    }
}
