import Kafka
import KafkaMock
import Recordings
import TestSupport
import Testing

@testable import Benchmarks

@Suite("Wait for new topics", .blocking, .timeLimit(.minutes(10)))
struct TopicWaitTests {
    @Test("the wait ends when no topic is missing")
    func visible() throws {
        var answers = [["a", "b"], ["b"], []]
        try TopicWait(pauseSeconds: 0).wait { answers.removeFirst() }
        #expect(answers.isEmpty)
    }

    @Test("a missing topic and a retriable error count as not visible")
    func errors() throws {
        var errors = [
            KafkaError(.topicMissing, "unknown topic"), KafkaError(.timedOut, "no answer", isRetriable: true),
        ]
        try TopicWait(pauseSeconds: 0).wait {
            if let error = errors.popLast() { throw error }
            return []
        }
        #expect(errors.isEmpty)
    }

    @Test("other errors end the wait")
    func refused() {
        let error = #expect(throws: KafkaError.self) {
            try TopicWait(pauseSeconds: 0).wait { throw KafkaError(.access, "denied") }
        }
        #expect(error?.code == .access)
    }

    @Test("topics that stay missing are an error with their names")
    func timeout() {
        let wait = TopicWait(timeout: .milliseconds(50), pauseSeconds: 0.01)
        let error = #expect(throws: InputError.self) { try wait.wait { ["bench.trips"] } }
        #expect(error.map { "\($0)".contains("bench.trips") } == true)
    }

    @Test("topics with all partitions are visible on a cluster, others are not")
    func cluster() throws {
        let cluster = try MockCluster()
        cluster.createTopic("a", partitions: 3)
        let admin = try KafkaAdmin(cluster.configuration) { _ in }
        try TopicWait().wait(for: ["a"], partitions: 3, with: admin)
        let short = TopicWait(timeout: .milliseconds(50), pauseSeconds: 0.01)
        let error = #expect(throws: InputError.self) { try short.wait(for: ["a"], partitions: 4, with: admin) }
        #expect(error.map { "\($0)".hasSuffix(": a") } == true, "\(String(describing: error))")
    }
}
