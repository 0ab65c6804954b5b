import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

@Suite("Producer", .blocking, .timeLimit(.minutes(10)))
struct KafkaProducerTests {
    private static func produce(
        _ producer: KafkaProducer, _ topic: KafkaProducer.Topic, value: String, partition: Int32 = 0, token: Int
    ) -> KafkaProducer.ProduceResult {
        ByteSlice.withBytes(of: "key") { key in
            ByteSlice.withBytes(of: value) { value in
                producer.produce(
                    .init(key: key, value: value, timestamp: Timestamp(milliseconds: 5)), to: topic,
                    partition: partition, token: token)
            }
        }
    }

    private static func isQueued(_ result: KafkaProducer.ProduceResult) -> Bool {
        if case .queued = result { true } else { false }
    }

    @Test("every record is reported once with its token, and failing requests do not change the order")
    func reports() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        cluster.fail(.produce, with: [.notEnoughReplicas, .notLeader, .notEnoughReplicas])
        var reported: [Int] = []
        for token in 0..<500 {
            #expect(Self.isQueued(Self.produce(producer, topic, value: "\(token)", token: token)))
            if token % 50 == 0 { producer.requestFlush() }
        }
        let isDone = try producer.flush(deadline: .now + .seconds(30)) { token, error in
            #expect(error == nil)
            reported.append(token)
        }
        #expect(isDone)
        #expect(reported.sorted() == Array(0..<500))
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var values: [String] = []
        try reader.readToEnd([TopicPartition(topic: "topic", partition: 0): .position(.beginning)]) { _, _, message in
            values.append(message.value?.string ?? "")
        }
        #expect(values == (0..<500).map { "\($0)" })
    }

    @Test("timestamps up to 0 (1970) are written as 1 ms, not as the current time")
    func timestampsUpToZero() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        let times: [Int64] = [.min, -1, 0, 1, 2]
        for (token, milliseconds) in times.enumerated() {
            ByteSlice.withBytes(of: "value") { value in
                _ = producer.produce(
                    .init(key: value, value: value, timestamp: Timestamp(milliseconds: milliseconds)), to: topic,
                    partition: 0, token: token)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(30)) { _, _ in })
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var actual: [Int64] = []
        try reader.readToEnd([TopicPartition(topic: "topic", partition: 0): .position(.beginning)]) { _, _, message in
            actual.append(message.timestamp.milliseconds)
        }
        #expect(actual == [1, 1, 1, 1, 2])
    }

    @Test("records wait for an unavailable broker, and a full queue is reported")
    func unavailableBroker() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        var settings = KafkaProducerSettings()
        settings.maximumQueuedRecords = 10
        let producer = try KafkaProducer(cluster.configuration, settings: settings) { _ in }
        let topic = try producer.topic("topic")
        cluster.takeDown(broker: 1)
        for token in 0..<10 { #expect(Self.isQueued(Self.produce(producer, topic, value: "x", token: token))) }
        guard case .queueFull = Self.produce(producer, topic, value: "x", token: 10) else {
            Issue.record("The eleventh record was queued.")
            return
        }
        #expect(try !producer.flush(deadline: .now + .milliseconds(300)) { _, _ in Issue.record("It was written.") })
        cluster.bringUp(broker: 1)
        var count = 0
        #expect(try producer.flush(deadline: .now + .seconds(30)) { _, error in count += error == nil ? 1 : 0 })
        #expect(count == 10)
        #expect(Self.isQueued(Self.produce(producer, topic, value: "x", token: 10)))
    }

    @Test("a record that is too large for the topic is reported with a fatal error and the setting of its limit")
    func tooLargeRecord() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        cluster.fail(.produce, with: [.messageTooLarge])
        #expect(Self.isQueued(Self.produce(producer, topic, value: "large", token: 7)))
        var failure: KafkaError?
        _ = try producer.flush(deadline: .now + .seconds(20)) { token, error in
            #expect(token == 7)
            failure = error
        }
        #expect(failure?.code == .recordTooLarge)
        #expect(failure?.isFatal == true)
        #expect(failure?.message.contains("max.message.bytes") == true)
    }

    @Test("headers, timestamps, tombstones and empty values are preserved")
    func fidelity() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 2)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        for (token, value) in [nil, ByteSlice.empty].enumerated() {
            var headers = KafkaHeaders(capacity: 3)
            for text in ["old", "new"] { ByteSlice.withBytes(of: text) { headers.add("name", $0) } }
            headers.add("empty", .empty)
            let result = ByteSlice.withBytes(of: "key") { key in
                producer.produce(
                    .init(key: key, value: value, timestamp: Timestamp(milliseconds: 1234)), to: topic, partition: 1,
                    headers: &headers, token: token)
            }
            #expect(Self.isQueued(result))
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in failures += error == nil ? 0 : 1 }
        #expect(isDone && failures == 0)
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var count = 0
        try reader.readToEnd([TopicPartition(topic: "topic", partition: 1): .position(.beginning)]) { _, _, message in
            #expect(message.value.map(\.count) == (count == 0 ? nil : 0))
            #expect(message.timestamp == Timestamp(milliseconds: 1234))
            let headers = message.headers("name", "absent")
            #expect(headers.first?.string == "new" && headers.second == nil)
            #expect(message.headers("absent", "name").second?.string == "new")
            count += 1
        }
        #expect(count == 2)
    }

    @Test("the error of an unknown property contains its name")
    func unknownProperty() throws {
        var configuration = KafkaConfiguration(bootstrapServers: "127.0.0.1:1")
        configuration.properties["no.such.property"] = "1"
        let error = #expect(throws: KafkaError.self) { try KafkaProducer(configuration) { _ in } }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("no.such.property") == true)
    }
}
