import Foundation
import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

@Suite("Transfer of a partition", .blocking, .timeLimit(.minutes(10)))
struct KafkaTransferTests {
    private struct Statistics: Decodable {
        struct Broker: Decodable { var rxbytes: Int }
        var brokers: [String: Broker]

        var receivedBytes: Int { brokers.values.reduce(0) { $0 + $1.rxbytes } }
    }

    private static func transfer(_ cluster: MockCluster, partition: Int32) throws -> (records: Int, bytes: Int) {
        let outcome = try KafkaTransfer(cluster.configuration) { _ in }
            .read(TopicPartition(topic: "in", partition: partition))
        let statistics = try JSONDecoder().decode(Statistics.self, from: Data(outcome.statistics.utf8))
        return (outcome.records, statistics.receivedBytes)
    }

    @Test("all records of one partition are read, and their compressed bytes are received")
    func reads() throws {
        let cluster = try MockCluster()
        cluster.createTopic("in", partitions: 2)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("in")
        let count = 2000
        let value = String(repeating: "compressible ", count: 100)
        for _ in 0..<count {
            ByteSlice.withBytes(of: value) { value in
                _ = producer.produce(
                    .init(key: value, value: value, timestamp: Timestamp(milliseconds: 5)), to: topic, partition: 0,
                    token: 0)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(20)) { _, _ in })
        let full = try Self.transfer(cluster, partition: 0)
        #expect(full.records == count)
        #expect((1000..<value.utf8.count * count / 4).contains(full.bytes), "\(full.bytes) bytes")
        let empty = try Self.transfer(cluster, partition: 1)
        #expect(empty.records == 0 && empty.bytes < full.bytes)
    }

    @Test("a partition without an end is an error that contains the number of records")
    func endless() throws {
        let cluster = try MockCluster()
        cluster.createTopic("in", partitions: 1)
        try cluster.fill(["in"], partitions: 1)
        cluster.fail(.fetch, with: Array(repeating: .notLeader, count: 1000))
        let error = #expect(throws: KafkaError.self) {
            try KafkaTransfer(cluster.configuration, idleTimeout: .seconds(1)) { _ in }
                .read(TopicPartition(topic: "in", partition: 0))
        }
        #expect(error.map { "\($0)".contains("after 0 records") } == true, "\(String(describing: error))")
    }
}
