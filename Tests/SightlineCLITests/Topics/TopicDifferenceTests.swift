import Testing

@testable import Runtime
@testable import SightlineCLI

@Suite("Settings of existing topics")
struct TopicDifferenceTests {
    @Test("differences have both values, ordered by name")
    func differences() {
        let actual = TopicsCreate.differences(
            expected: ["retention.ms": "1", "min.insync.replicas": "2", "cleanup.policy": "delete"],
            actual: ["retention.ms": "3", "min.insync.replicas": "1", "cleanup.policy": "delete", "segment.ms": "9"])
        #expect(
            actual == [
                "min.insync.replicas is 1, not 2; it is not changed", "retention.ms is 3, not 1; it is not changed",
            ])
    }

    @Test("a retention shorter than the raw topic's retention is reported with a command")
    func shortRetention() {
        let advice = TopicsCreate.retentionAdvice(
            ["p.driver.locations.raw": ["retention.ms": "200"], "p.trip.etas": ["retention.ms": "199"]]
        ) { "p." + $0.rawValue }
        #expect(
            advice == [
                "The retention of p.trip.etas is shorter than that of p.driver.locations.raw: run `kafka-configs --alter "
                    + "--entity-type topics --entity-name p.trip.etas --add-config retention.ms=200`"
            ])
    }

    @Test("a setting that the broker does not support is ignored")
    func unknown() {
        #expect(TopicsCreate.differences(expected: ["message.timestamp.after.max.ms": "1"], actual: [:]).isEmpty)
    }
}
