import Testing

@testable import Pipeline

@Suite("Broker settings of the pipeline's topics")
struct TopicSettingsTests {
    @Test("two of three copies must have a record before it is acknowledged, and one where there are fewer")
    func inSync() {
        let found = [1, 2, 3, 4, 5].map { PipelineTopic.minimumInSync(replication: $0) }
        #expect(found == [1, 1, 2, 2, 2])
        for topic in PipelineTopic.allCases {
            #expect(topic.brokerSettings(minimumInSync: 2)["min.insync.replicas"] == "2")
        }
    }

    @Test("brokers refuse receipts dated hours ahead where they come in, and nothing that workers write")
    func timestamps() {
        for topic in PipelineTopic.allCases {
            let limit = topic.brokerSettings(minimumInSync: 1)["message.timestamp.after.max.ms"]
            let isInput = topic == .rawLocations || topic == .trips
            #expect(limit == (isInput ? "3600000" : "9223372036854775807"), "\(topic)")
        }
    }

    @Test("dead-letter topics take what any other topic takes, with headers")
    func deadLetters() throws {
        let settings = PipelineTopic.locationsDeadLetter.brokerSettings(minimumInSync: 1)
        let limit = try #require(settings["max.message.bytes"].flatMap { Int($0) })
        #expect(limit == 2 << 20)
        #expect(PipelineTopic.deadLetterInputBytes < limit)
        // Kafka's default for a record, and its 12 bytes of overhead.
        #expect(PipelineTopic.deadLetterInputBytes > 1_048_588)
    }
}
