import Testing

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

    @Test("a setting that the broker does not know is no difference")
    func unknown() {
        #expect(TopicDifference.find(wanted: ["message.timestamp.after.max.ms": "1"], found: [:]).isEmpty)
    }
}
