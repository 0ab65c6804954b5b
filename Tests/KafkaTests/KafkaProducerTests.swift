import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

@Suite("The producer", .blocking, .timeLimit(.minutes(10)))
struct KafkaProducerTests {
    private static func produce(
        _ producer: KafkaProducer, _ topic: KafkaProducer.Topic, value: String, partition: Int32 = 0, ticket: Int
    ) -> KafkaProducer.Answer {
        ByteSlice.withBytes(of: "key") { key in
            ByteSlice.withBytes(of: value) { value in
                producer.produce(
                    .init(key: key, value: value, timestamp: Timestamp(milliseconds: 5)), to: topic,
                    partition: partition,
                    ticket: ticket)
            }
        }
    }

    private static func isQueued(_ answer: KafkaProducer.Answer) -> Bool {
        if case .queued = answer { true } else { false }
    }

    @Test("every record is reported once, with its ticket, and order survives failing requests")
    func reports() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        cluster.fail(.produce, with: [.notEnoughReplicas, .notLeader, .notEnoughReplicas])
        var reported: [Int] = []
        for ticket in 0..<500 {
            #expect(Self.isQueued(Self.produce(producer, topic, value: "\(ticket)", ticket: ticket)))
            if ticket % 50 == 0 { producer.hurry() }
        }
        let isDone = try producer.flush(deadline: .now + .seconds(30)) { ticket, error in
            #expect(error == nil)
            reported.append(ticket)
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

    @Test("a record that is dated 0 or before is written as dated 1, and not by this machine's clock")
    func undated() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        let times: [Int64] = [.min, -1, 0, 1, 2]
        for (ticket, milliseconds) in times.enumerated() {
            ByteSlice.withBytes(of: "value") { value in
                _ = producer.produce(
                    .init(key: value, value: value, timestamp: Timestamp(milliseconds: milliseconds)), to: topic,
                    partition: 0, ticket: ticket)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(30)) { _, _ in })
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var found: [Int64] = []
        try reader.readToEnd([TopicPartition(topic: "topic", partition: 0): .position(.beginning)]) { _, _, message in
            found.append(message.timestamp.milliseconds)
        }
        #expect(found == [1, 1, 1, 1, 2])
    }

    @Test("records wait for a broker that is away, and a full queue is an answer")
    func brokerAway() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        var settings = KafkaProducerSettings()
        settings.maximumQueuedRecords = 10
        let producer = try KafkaProducer(cluster.configuration, settings: settings) { _ in }
        let topic = try producer.topic("topic")
        cluster.takeDown(broker: 1)
        for ticket in 0..<10 { #expect(Self.isQueued(Self.produce(producer, topic, value: "x", ticket: ticket))) }
        guard case .queueFull = Self.produce(producer, topic, value: "x", ticket: 10) else {
            Issue.record("The eleventh record found room.")
            return
        }
        #expect(try !producer.flush(deadline: .now + .milliseconds(300)) { _, _ in Issue.record("No broker answers.") })
        cluster.bringUp(broker: 1)
        var count = 0
        #expect(try producer.flush(deadline: .now + .seconds(30)) { _, error in count += error == nil ? 1 : 0 })
        #expect(count == 10)
        #expect(Self.isQueued(Self.produce(producer, topic, value: "x", ticket: 10)))
    }

    @Test("a record that the broker refuses for good is reported as such")
    func refused() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        cluster.fail(.produce, with: [.messageTooLarge])
        #expect(Self.isQueued(Self.produce(producer, topic, value: "large", ticket: 7)))
        var failure: KafkaError?
        _ = try producer.flush(deadline: .now + .seconds(20)) { ticket, error in
            #expect(ticket == 7)
            failure = error
        }
        #expect(failure?.code == .recordTooLarge)
        #expect(failure?.isFatal == true)
        #expect(failure?.message.contains("max.message.bytes") == true)
    }

    @Test("headers, timestamps, tombstones and empty values arrive as they were sent")
    func fidelity() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 2)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        for (ticket, value) in [nil, ByteSlice.empty].enumerated() {
            var headers = KafkaHeaders(capacity: 3)
            for text in ["old", "new"] { ByteSlice.withBytes(of: text) { headers.add("name", $0) } }
            headers.add("empty", .empty)
            let answer = ByteSlice.withBytes(of: "key") { key in
                producer.produce(
                    .init(key: key, value: value, timestamp: Timestamp(milliseconds: 1234)), to: topic, partition: 1,
                    headers: &headers, ticket: ticket)
            }
            #expect(Self.isQueued(answer))
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in failures += error == nil ? 0 : 1 }
        #expect(isDone && failures == 0)
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var seen = 0
        try reader.readToEnd([TopicPartition(topic: "topic", partition: 1): .position(.beginning)]) { _, _, message in
            #expect(message.value.map(\.count) == (seen == 0 ? nil : 0))
            #expect(message.timestamp == Timestamp(milliseconds: 1234))
            let headers = message.headers("name", "absent")
            #expect(headers.first?.string == "new" && headers.second == nil)
            #expect(message.headers("absent", "name").second?.string == "new")
            seen += 1
        }
        #expect(seen == 2)
    }

    @Test("a property that the library does not know is named")
    func unknownProperty() throws {
        var configuration = KafkaConfiguration(bootstrapServers: "127.0.0.1:1")
        configuration.properties["no.such.property"] = "1"
        let error = #expect(throws: KafkaError.self) { try KafkaProducer(configuration) { _ in } }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("no.such.property") == true)
    }
}
