import Testing

@testable import Domain
@testable import Processing

@Suite("Broker settings of the pipeline's topics")
struct TopicSettingsTests {
    @Test("writes require two in-sync replicas with three copies or more, and one with fewer copies")
    func inSync() {
        let actual = [1, 2, 3, 4, 5].map { PipelineTopic.minimumInSync(replication: $0) }
        #expect(actual == [1, 1, 2, 2, 2])
        for topic in PipelineTopic.allCases {
            #expect(topic.brokerSettings(minimumInSync: 2)["min.insync.replicas"] == "2")
        }
    }

    @Test("brokers limit timestamps ahead of their clock on input topics only")
    func timestamps() {
        for topic in PipelineTopic.allCases {
            let limit = topic.brokerSettings(minimumInSync: 1)["message.timestamp.after.max.ms"]
            let isInput = topic == .rawLocations || topic == .trips
            #expect(limit == (isInput ? "3600000" : "9223372036854775807"), "\(topic)")
        }
    }

    @Test("no topic has a shorter retention than the raw locations")
    func retention() {
        let own = PipelineTopic.allCases.map { ($0, $0.retentionHours.map { Int64($0) * 3_600_000 }) }
        let known = own.compactMap { topic, retention in retention.map { (topic, $0) } }
        #expect(PipelineTopic.retainedTooShort(Dictionary(uniqueKeysWithValues: known)) == [])
        for (topic, retention) in known {
            #expect(topic.brokerSettings(minimumInSync: 1)[PipelineTopic.retentionSetting] == "\(retention)")
        }
    }

    @Test("topics with a shorter retention than the raw locations are returned; -1 is unlimited")
    func retainedTooShort() {
        func short(_ topic: PipelineTopic, _ kept: Int64, raw: Int64?) -> Bool {
            var retention: [PipelineTopic: Int64] = [topic: kept]
            retention[.rawLocations] = raw
            return !PipelineTopic.retainedTooShort(retention).isEmpty
        }
        for topic in [PipelineTopic.locations, .tripEtas, .riderUpdates, .warnings] {
            #expect([99, 100, 101, -1].map { short(topic, $0, raw: 100) } == [true, false, false, false])
            #expect([99, -1].map { short(topic, $0, raw: -1) } == [true, false])
            #expect(!short(topic, 1, raw: nil), "the raw topic's retention is unknown")
        }
        #expect(!short(.trips, 1, raw: 100), "compacted topics have no retention")
    }

    @Test("dead-letter topics accept the largest record of any topic with its headers")
    func deadLetters() throws {
        let settings = PipelineTopic.locationsDeadLetter.brokerSettings(minimumInSync: 1)
        let limit = try #require(settings["max.message.bytes"].flatMap { Int($0) })
        #expect(limit == 2 << 20)
        #expect(PipelineTopic.deadLetterInputBytes < limit)
        // Kafka's default `max.message.bytes`: 1 MiB plus 12 bytes of overhead.
        #expect(PipelineTopic.deadLetterInputBytes > 1_048_588)
    }
}
