import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

@Suite("Errors of missing permissions", .blocking, .timeLimit(.minutes(10)))
struct KafkaDenialTests {
    private static let partition = TopicPartition(topic: "driver.warnings", partition: 0)

    private static func cluster() throws -> MockCluster {
        let cluster = try MockCluster()
        cluster.createTopic(partition.topic, partitions: 1)
        return cluster
    }

    private static func reader(_ cluster: MockCluster) throws -> KafkaReader {
        try KafkaReader(cluster.configuration, group: "sightline.location") { _ in }
    }

    /// Expects a fatal access error that contains the missing permission.
    private func expect(_ error: KafkaError?, contains permission: String) {
        #expect(error?.code == .access, "\(String(describing: error))")
        #expect(error?.isFatal == true)
        #expect(error?.message.contains(permission) == true, "\(String(describing: error))")
        #expect(error?.message.contains("docs/security.md") == true)
    }

    @Test("a denied fetch is an error that reports the missing Read on the topic")
    func read() throws {
        let cluster = try Self.cluster()
        try cluster.fill([Self.partition.topic], partitions: 1)
        cluster.deny(.fetch, with: .topicDenied)
        let reader = try Self.reader(cluster)
        let error = #expect(throws: KafkaError.self) {
            try reader.readToEnd([Self.partition: .position(.beginning)]) { _, _, _ in }
        }
        expect(error, contains: "Read on topic driver.warnings")
    }

    @Test("a denied metadata request is an error that reports the missing Describe on the topic")
    func describe() throws {
        let cluster = try Self.cluster()
        cluster.denyDescribe(topic: Self.partition.topic)
        let admin = try KafkaAdmin(cluster.configuration) { _ in }
        let error = #expect(throws: KafkaError.self) { try admin.partitionCounts(of: [Self.partition.topic]) }
        expect(error, contains: "Describe on topic driver.warnings")
    }

    @Test("a denied offset request is an error that reports the missing Describe on the topic")
    func offsets() throws {
        let cluster = try Self.cluster()
        cluster.denyDescribe(topic: Self.partition.topic)
        let reader = try Self.reader(cluster)
        let unknown = #expect(throws: KafkaError.self) {
            try reader.offsetRanges(of: [Self.partition], timeoutMilliseconds: 3000)
        }
        expect(unknown, contains: "Describe on topic driver.warnings")

        let second = try Self.cluster()
        second.deny(.listOffsets, with: .topicDenied)
        let other = try Self.reader(second)
        let denied = #expect(throws: KafkaError.self) {
            try other.offsets(of: [Self.partition], atOrAfter: { _ in Timestamp(milliseconds: 0) })
        }
        expect(denied, contains: "Describe on topic driver.warnings")
        let single = #expect(throws: KafkaError.self) {
            try other.offsetRange(of: Self.partition, timeoutMilliseconds: 3000)
        }
        expect(single, contains: "Describe on topic driver.warnings")
    }

    @Test("a denied read of committed offsets is an error that reports the missing Describe on the group")
    func committed() throws {
        for request in [MockCluster.Request.findCoordinator, .offsetFetch] {
            let cluster = try Self.cluster()
            cluster.deny(request, with: .groupDenied)
            let reader = try Self.reader(cluster)
            let error = #expect(throws: KafkaError.self) { try reader.committed([Self.partition]) }
            expect(error, contains: "Describe on group sightline.location")
        }
    }

    @Test("a denied join of a group is an error that reports the missing Read on the group")
    func join() throws {
        for request in [MockCluster.Request.findCoordinator, .joinGroup] {
            let cluster = try Self.cluster()
            cluster.deny(request, with: .groupDenied)
            let consumer = try KafkaConsumer(
                cluster.configuration, group: KafkaGroupSettings(group: "sightline.eta", assignor: .range),
                topics: [Self.partition.topic]
            ) { _ in }
            let batch = consumer.makeBatch(capacity: 10)
            var failure: KafkaError?
            let deadline = ContinuousClock.now + .seconds(60)
            while failure == nil, ContinuousClock.now < deadline {
                try consumer.poll(into: batch, waitMilliseconds: 100)
                for index in 0..<batch.count {
                    if case .failure(_, _, _, let error)? = batch[index], failure == nil { failure = error }
                }
                batch.removeAll()
            }
            expect(failure, contains: "Read on group sightline.eta")
            consumer.abandon()
        }
    }

    @Test("a denied write is an error that reports the missing Write on the topic")
    func write() throws {
        let cluster = try Self.cluster()
        cluster.deny(.produce, with: .topicDenied)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic(Self.partition.topic)
        ByteSlice.withBytes(of: "value") { value in
            _ = producer.produce(
                .init(key: value, value: value, timestamp: Timestamp(milliseconds: 1)), to: topic, partition: 0,
                token: 0)
        }
        var failure: KafkaError?
        do {
            _ = try producer.flush(deadline: .now + .seconds(60)) { _, error in failure = failure ?? error }
        } catch {
            failure = failure ?? error
        }
        expect(failure, contains: "Write on topic driver.warnings")
    }
}
