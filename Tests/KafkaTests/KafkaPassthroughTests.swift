import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

@Suite("Pass-through", .blocking, .timeLimit(.minutes(10)))
struct KafkaPassthroughTests {
    private static let partitions = ["in", "out"].map { topic in
        (Int32(0)..<2).map { TopicPartition(topic: topic, partition: $0) }
    }

    private static func cluster(with count: Int) throws -> MockCluster {
        let cluster = try MockCluster()
        for topic in ["in", "out"] { cluster.createTopic(topic, partitions: 2) }
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("in")
        for number in 0..<count {
            ByteSlice.withBytes(of: "\(number)") { value in
                _ = producer.produce(
                    .init(key: value, value: value, timestamp: Timestamp(milliseconds: 5)), to: topic,
                    partition: Int32(number % 2), token: 0)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(20)) { _, _ in })
        return cluster
    }

    private static func records(_ cluster: MockCluster, _ partitions: [TopicPartition]) throws -> [Int32: [String]] {
        let reader = try KafkaReader(cluster.configuration) { _ in }
        defer { reader.close() }
        var records: [Int32: [String]] = [:]
        let starts = Dictionary(uniqueKeysWithValues: partitions.map { ($0, KafkaReader.Start.position(.beginning)) })
        try reader.readToEnd(starts) { _, _, message in
            records[message.partition, default: []].append("\(message.key.string)=\(message.value?.string ?? "")")
        }
        return records
    }

    @Test("every record is copied once to the same partition, with its key and in order")
    func copies() throws {
        let cluster = try Self.cluster(with: 3000)
        var hasBegun = false
        let copied = try KafkaPassthrough(cluster.configuration) { _ in }
            .copy(3000, of: Self.partitions[0], to: "out") { hasBegun = true }
        #expect(hasBegun && (0..<3000).contains(copied))
        let out = try Self.records(cluster, Self.partitions[1])
        #expect(try out == Self.records(cluster, Self.partitions[0]))
        #expect(out.values.reduce(0) { $0 + $1.count } == 3000)
    }

    @Test("copying more records than exist is an error that contains the number of copied records")
    func endsEarly() throws {
        let cluster = try Self.cluster(with: 10)
        let passthrough = KafkaPassthrough(cluster.configuration, idleTimeout: .seconds(2)) { _ in }
        let error = #expect(throws: KafkaError.self) { try passthrough.copy(11, of: Self.partitions[0], to: "out") {} }
        #expect(error.map { "\($0)".contains("10 of 11") } == true)
    }
}
