import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

@Suite("Reader of changing partitions", .blocking, .timeLimit(.minutes(10)))
struct KafkaReaderOnDemandTests {
    private static let topic = "on-demand"

    /// Creates a cluster with a topic of three partitions, each with the values 0 to 9.
    private static func cluster() throws -> MockCluster {
        let cluster = try MockCluster(brokers: 1)
        cluster.createTopic(topic, partitions: 3)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        defer { producer.close() }
        let handle = try producer.topic(topic)
        for number in 0..<30 {
            ByteSlice.withBytes(of: "\(number / 3)") { value in
                _ = producer.produce(
                    .init(key: value, value: value, timestamp: Timestamp(milliseconds: 1)), to: handle,
                    partition: Int32(number % 3), token: 0)
            }
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, error in failures += error == nil ? 0 : 1 }
        #expect(isDone && failures == 0)
        return cluster
    }

    private static func positions(_ offsets: [Int32: Int64]) -> [TopicPartition: KafkaPosition] {
        Dictionary(uniqueKeysWithValues: offsets.map { (TopicPartition(topic: topic, partition: $0), .offset($1)) })
    }

    /// Reads at least the number of values in `counts` from each partition, and returns all values.
    private static func values(_ reader: KafkaReader, until counts: [Int32: Int]) throws -> [Int32: [String]] {
        let batch = reader.makeBatch(capacity: 100)
        var values: [Int32: [String]] = [:]
        let deadline = ContinuousClock.now + .seconds(60)
        while counts.contains(where: { values[$0.key, default: []].count < $0.value }) {
            guard ContinuousClock.now < deadline else { throw KafkaError(.timedOut, "Only \(values) arrived.") }
            try reader.poll(into: batch, waitMilliseconds: 100)
            for index in 0..<batch.count {
                guard let message = batch.message(at: index) else { continue }
                values[message.partition, default: []].append(message.value?.string ?? "")
            }
            batch.removeAll()
        }
        return values
    }

    @Test("a partition is added at its offset, and other partitions are not reread")
    func addedLater() throws {
        let cluster = try Self.cluster()
        let reader = try KafkaReader(cluster.configuration) { _ in }
        defer { reader.close() }
        try reader.add(Self.positions([0: 7]))
        #expect(try Self.values(reader, until: [0: 3]) == [0: ["7", "8", "9"]])
        try reader.add(Self.positions([2: 8]))
        #expect(try Self.values(reader, until: [2: 2]) == [2: ["8", "9"]])
    }

    @Test("a removed partition can be added at another offset")
    func addedAgain() throws {
        let cluster = try Self.cluster()
        let reader = try KafkaReader(cluster.configuration) { _ in }
        defer { reader.close() }
        try reader.add(Self.positions([0: 8, 1: 9]))
        _ = try Self.values(reader, until: [0: 2, 1: 1])
        try reader.remove([TopicPartition(topic: Self.topic, partition: 0)])
        try reader.add(Self.positions([0: 5]))
        #expect(try Self.values(reader, until: [0: 5]) == [0: ["5", "6", "7", "8", "9"]])
    }

    @Test("adding a partition twice is an error")
    func addedTwice() throws {
        let cluster = try Self.cluster()
        let reader = try KafkaReader(cluster.configuration) { _ in }
        defer { reader.close() }
        try reader.add(Self.positions([0: 0]))
        #expect(throws: KafkaError.self) { try reader.add(Self.positions([0: 0])) }
    }
}
