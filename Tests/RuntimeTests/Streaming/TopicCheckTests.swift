import TestSupport
import Testing

@testable import Kafka
@testable import Runtime

@Suite("Topic check")
struct TopicCheckTests {
    private static let names = TopicNames(prefix: "p.")

    @Test("an equal partition count of all topics is valid and returned")
    func equal() throws {
        let check = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: true)
        #expect(try check.validate(["p.a": 6, "p.b": 6, "other": 1]) == 6)
    }

    @Test("a worker warns about a topic with a shorter retention than the raw topic")
    func retention() {
        let log = CapturedLog()
        let context = WorkerContext(
            name: "eta", inputs: ["driver.locations", "trips"], outputs: ["trip.etas"], names: Self.names,
            kafka: KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "sightline-test"),
            commitInterval: .seconds(1), logger: log.logger)
        RetentionCheck.warn(
            context,
            of: [
                "p.driver.locations.raw": ["retention.ms": "100"], "p.driver.locations": ["retention.ms": "100"],
                "p.trip.etas": ["retention.ms": "99"],
            ])
        #expect(log.lines.count == 1)
        #expect(log.has("warning: Topic retention is shorter", "topic=p.trip.etas"))
    }

    @Test("missing topics are reported with their prefix and the command that creates them")
    func missing() {
        let check = TopicCheck(names: Self.names, topics: ["a", "b", "c"], mustAgree: true)
        let error = #expect(throws: WorkerError.self) { try check.validate(["p.b": 6]) }
        #expect(error?.code == .topicMissing)
        #expect(error?.exitCode == 10)
        #expect(error?.message == "Topics are missing: p.a, p.c; create them with `sightline topics create`.")
    }

    @Test("unequal partition counts are an error if they must agree", arguments: [5, 7])
    func unequal(_ partitions: Int) throws {
        let check = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: true)
        let error = #expect(throws: WorkerError.self) { try check.validate(["p.a": 6, "p.b": partitions]) }
        #expect(error?.code == .partitionsMismatch)
        #expect(error?.message.contains("p.a has 6, p.b has \(partitions)") == true)
        let lenient = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: false)
        #expect(try lenient.validate(["p.a": 6, "p.b": partitions]) == 6)
    }
}
