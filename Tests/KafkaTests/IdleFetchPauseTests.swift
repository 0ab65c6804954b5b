import KafkaMock
import TestSupport
import Testing

@testable import Kafka

@Suite("Pause between fetches without records", .blocking, .timeLimit(.minutes(10)))
struct IdleFetchPauseTests {
    @Test("a pause starts after 100 responses of similar size, and ends with a larger response")
    func idleResponses() {
        let pause = IdleFetchPause(milliseconds: 60)
        #expect((1...100).allSatisfy { _ in !pause.isIdle(afterResponseOf: 70) })
        #expect(pause.isIdle(afterResponseOf: 70))
        #expect(pause.isIdle(afterResponseOf: 130), "60 bytes more, such as a topic name, are less than a batch header")
        #expect(pause.isIdle(afterResponseOf: 70))
        #expect(!pause.isIdle(afterResponseOf: 131), "a response with records is not delayed")
        #expect((1...99).allSatisfy { _ in !pause.isIdle(afterResponseOf: 131) })
        #expect(pause.isIdle(afterResponseOf: 131))
    }

    @Test("a pause slows down idle fetches without losing records")
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
        let pause = try #require(reader.client.idleFetchPause)
        _ = try values(reader) { _ in pause.similarResponses >= IdleFetchPause.idleResponses }
        let (begin, count) = (ContinuousClock.now, pause.similarResponses)
        _ = try values(reader) { _ in pause.similarResponses >= count + 3 }
        #expect(
            begin.duration(to: .now) >= .milliseconds(2 * milliseconds),
            "two pauses separate three more responses")

        try cluster.fill(["topic"], partitions: 1)
        #expect(try values(reader) { !$0.isEmpty } == ["value"])
    }

    /// Reads values until `isDone` is true for them, for up to a minute.
    private func values(_ reader: KafkaReader, until isDone: ([String]) -> Bool) throws -> [String] {
        let batch = reader.makeBatch(capacity: 10)
        let deadline = ContinuousClock.now + .seconds(60)
        var values: [String] = []
        while !isDone(values) {
            try #require(ContinuousClock.now < deadline, "Only \(values) arrived within a minute.")
            try reader.poll(into: batch, waitMilliseconds: 5)
            values += (0..<batch.count).compactMap { batch.message(at: $0)?.value?.string }
            batch.removeAll()
        }
        return values
    }

    @Test("the pause is nil by default")
    func noDefaultPause() throws {
        let cluster = try MockCluster()
        let reader = try KafkaReader(cluster.configuration) { _ in }
        defer { reader.close() }
        #expect(reader.client.idleFetchPause == nil)
    }
}
