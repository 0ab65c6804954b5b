import Kafka
import KafkaMock
import Runtime
import Support
import Testing

extension MockCluster {
    /// Appends each number to topic `in`, at partition `number % partitions`, with timestamps 1 ms apart.
    func append(_ range: Range<Int>, partitions: Int = 2) throws {
        let producer = try KafkaProducer(configuration) { _ in }
        let topic = try producer.topic("in")
        for number in range {
            ByteSlice.withBytes(of: "\(number)") { value in
                _ = producer.produce(
                    .init(key: value, value: value, timestamp: Timestamp(milliseconds: 1000 + Int64(number))),
                    to: topic, partition: Int32(number % partitions), token: 0)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(20)) { _, _ in })
    }
}
