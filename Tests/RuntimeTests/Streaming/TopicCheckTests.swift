import TestSupport
import Testing

@testable import Kafka
@testable import Runtime

@Suite("Checking topics before a start")
struct TopicCheckTests {
    private static let names = TopicNames(prefix: "p.")

    @Test("equal partitions pass, and their number is the answer")
    func equal() throws {
        let check = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: true)
        #expect(try check.judge(["p.a": 6, "p.b": 6, "other": 1]) == 6)
    }

    @Test("a worker warns of a topic of its own that is kept for a shorter time than the raw locations")
    func retention() {
        let log = CapturedLog()
        let frame = WorkerContext(
            name: "eta", inputs: ["driver.locations", "trips"], outputs: ["trip.etas"], names: Self.names,
            kafka: KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "sightline-test"),
            commitInterval: .seconds(1), logger: log.logger)
        RetentionCheck.warn(
            frame,
            of: [
                "p.driver.locations.raw": ["retention.ms": "100"], "p.driver.locations": ["retention.ms": "100"],
                "p.trip.etas": ["retention.ms": "99"],
            ])
        #expect(log.lines.count == 1)
        #expect(log.has("warning: A topic is kept for a shorter time", "topic=p.trip.etas"))
    }

    @Test("every missing topic is named, with the prefix and the fix")
    func missing() {
        let check = TopicCheck(names: Self.names, topics: ["a", "b", "c"], mustAgree: true)
        let error = #expect(throws: WorkerError.self) { try check.judge(["p.b": 6]) }
        #expect(error?.code == .topicMissing)
        #expect(error?.exitCode == 10)
        #expect(error?.message == "Topics are missing: p.a, p.c; create them with `sightline topics create`.")
    }

    @Test("one partition more or less is refused where partitions must agree", arguments: [5, 7])
    func unequal(_ partitions: Int) throws {
        let check = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: true)
        let error = #expect(throws: WorkerError.self) { try check.judge(["p.a": 6, "p.b": partitions]) }
        #expect(error?.code == .partitionsMismatch)
        #expect(error?.message.contains("p.a has 6, p.b has \(partitions)") == true)
        let lenient = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: false)
        #expect(try lenient.judge(["p.a": 6, "p.b": partitions]) == 6)
    }
}
