import Testing

@testable import Runtime
@testable import SightlineCLI

@Suite("Settings of topics that exist")
struct TopicDifferenceTests {
    @Test("what differs is named with both values, in order")
    func differences() {
        let found = TopicDifference.find(
            wanted: ["retention.ms": "1", "min.insync.replicas": "2", "cleanup.policy": "delete"],
            found: ["retention.ms": "3", "min.insync.replicas": "1", "cleanup.policy": "delete", "segment.ms": "9"])
        #expect(
            found.map(\.description) == [
                "min.insync.replicas is 1, not 2; it is left as it is", "retention.ms is 3, not 1; it is left as it is",
            ])
    }

    @Test("a topic that is kept for a shorter time than the raw locations is named with the command that mends it")
    func keptTooShort() {
        let notes = TopicsCreate.shortNotes(
            ["p.driver.locations.raw": ["retention.ms": "200"], "p.trip.etas": ["retention.ms": "199"]]
        ) { "p." + $0.rawValue }
        #expect(
            notes == [
                "p.trip.etas is kept for a shorter time than p.driver.locations.raw: run `kafka-configs --alter "
                    + "--entity-type topics --entity-name p.trip.etas --add-config retention.ms=200`"
            ])
    }

    @Test("a setting that the broker does not know is no difference")
    func unknown() {
        #expect(TopicDifference.find(wanted: ["message.timestamp.after.max.ms": "1"], found: [:]).isEmpty)
    }
}
