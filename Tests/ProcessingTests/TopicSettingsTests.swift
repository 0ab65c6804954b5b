import Testing

@testable import Model
@testable import Processing

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

    @Test("no topic is kept for a shorter time than the raw locations")
    func retention() {
        let own = PipelineTopic.allCases.map { ($0, $0.retentionHours.map { Int64($0) * 3_600_000 }) }
        let known = own.compactMap { topic, retention in retention.map { (topic, $0) } }
        #expect(PipelineTopic.keptTooShort(Dictionary(uniqueKeysWithValues: known)) == [])
        for (topic, retention) in known {
            #expect(topic.brokerSettings(minimumInSync: 1)[PipelineTopic.retentionSetting] == "\(retention)")
        }
    }

    @Test("a topic that is kept a millisecond less than the raw locations is named, and no limit is longer than any")
    func keptTooShort() {
        func short(_ topic: PipelineTopic, _ kept: Int64, raw: Int64?) -> Bool {
            var retention: [PipelineTopic: Int64] = [topic: kept]
            retention[.rawLocations] = raw
            return !PipelineTopic.keptTooShort(retention).isEmpty
        }
        for topic in [PipelineTopic.locations, .tripEtas, .riderUpdates, .warnings] {
            #expect([99, 100, 101, -1].map { short(topic, $0, raw: 100) } == [true, false, false, false])
            #expect([99, -1].map { short(topic, $0, raw: -1) } == [true, false])
            #expect(!short(topic, 1, raw: nil), "the raw topic's is not known")
        }
        #expect(!short(.trips, 1, raw: 100), "compacted topics have no such limit")
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
