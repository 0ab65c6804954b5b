import Bytes
import KafkaMock
import TestSupport
import Testing
import Tracking

@testable import Kafka

@Suite("The pause between fetches without records", .blocking, .timeLimit(.minutes(10)))
struct IdleFetchPauseTests {
    @Test("begins with the hundredth answer like the one before, and ends with one that is larger by a batch's header")
    func idleAnswers() {
        let pause = IdleFetchPause(milliseconds: 60)
        #expect((1...100).allSatisfy { _ in !pause.isIdle(afterAnswerOf: 70) })
        #expect(pause.isIdle(afterAnswerOf: 70))
        #expect(pause.isIdle(afterAnswerOf: 130), "larger by the name of a topic")
        #expect(pause.isIdle(afterAnswerOf: 70))
        #expect(!pause.isIdle(afterAnswerOf: 131), "an answer with records is read at once")
        #expect((1...99).allSatisfy { _ in !pause.isIdle(afterAnswerOf: 131) })
        #expect(pause.isIdle(afterAnswerOf: 131))
    }

    @Test("slows down the fetches of a client that has nothing to read, and loses no record")
    func idleClient() throws {
        let milliseconds = 200
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        var configuration = cluster.configuration
        configuration.idleFetchPauseMilliseconds = milliseconds
        configuration.properties["fetch.wait.max.ms"] = "1"
        let reader = try KafkaReader(configuration) { _ in }
        defer { reader.close() }
        try reader.start([TopicPartition(topic: "topic", partition: 0): .beginning])
        let pause = try #require(reader.idleFetchPause)
        _ = try values(reader) { _ in pause.repetitions >= IdleFetchPause.idleAnswers }
        let (begin, repetitions) = (ContinuousClock.now, pause.repetitions)
        _ = try values(reader) { _ in pause.repetitions >= repetitions + 3 }
        #expect(
            begin.duration(to: .now) >= .milliseconds(2 * milliseconds), "three more answers have two pauses between")

        try send("value", to: cluster)
        #expect(try values(reader) { !$0.isEmpty } == ["value"])
    }

    /// What the reader gets until `isDone`.
    private func values(_ reader: KafkaReader, until isDone: ([String]) -> Bool) throws -> [String] {
        let batch = reader.makeBatch(capacity: 10)
        let deadline = ContinuousClock.now + .seconds(60)
        var values: [String] = []
        while !isDone(values) {
            try #require(ContinuousClock.now < deadline, "Only \(values) came.")
            try reader.poll(into: batch, waitMilliseconds: 5)
            values += (0..<batch.count).compactMap { batch.message(at: $0)?.value?.string }
            batch.removeAll()
        }
        return values
    }

    private func send(_ value: String, to cluster: MockCluster) throws {
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        defer { producer.close() }
        let topic = try producer.topic("topic")
        ByteSlice.withBytes(of: value) { bytes in
            _ = producer.produce(
                .init(key: bytes, value: bytes, timestamp: Timestamp(milliseconds: 1)), to: topic, partition: 0,
                ticket: 0)
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, error in failures += error == nil ? 0 : 1 }
        #expect(isDone && failures == 0)
    }

    @Test("is off unless it is set")
    func off() throws {
        let cluster = try MockCluster()
        let reader = try KafkaReader(cluster.configuration) { _ in }
        defer { reader.close() }
        #expect(reader.idleFetchPause == nil)
    }
}
