import Domain
import Kafka
import KafkaMock
import Processing
import Runtime
import Support
import TestSupport
import Testing

@Suite("Record headers", .blocking, .timeLimit(.minutes(10)))
struct RecordHeadersTests {
    private struct NotQueued: Error {}

    @Test("a record has the event and state of its message's headers, and no event or state without headers")
    func roundTrip() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        let event = EventID(partition: 1, offset: 9).withPunctuation(2)
        var watermark = ByteWriter()
        WatermarkHeader.encode(event: event, positions: [9, 4], into: &watermark)
        for hasHeaders in [true, false] {
            var headers = KafkaHeaders(capacity: 2)
            if hasHeaders {
                ByteSlice.withBytes(of: "state") { headers.add(RecordHeader.state, $0) }
                headers.add(RecordHeader.watermark, watermark.bytes)
            }
            let answer = ByteSlice.withBytes(of: "key") { key in
                producer.produce(
                    .init(key: key, value: nil, timestamp: Timestamp(milliseconds: 1234)), to: topic, partition: 0,
                    headers: &headers, token: 1)
            }
            guard case .queued = answer else { throw NotQueued() }
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in failures += error == nil ? 0 : 1 }
        #expect(isDone && failures == 0)
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var records: [(event: EventID?, state: String, positions: [Int64]?, eventWithoutHeaders: EventID?)] = []
        try reader.readToEnd([TopicPartition(topic: "topic", partition: 0): .position(.beginning)]) { _, _, message in
            let record = message.record
            #expect(record.value == nil && record.key == "key" && record.timestamp == Timestamp(milliseconds: 1234))
            records.append(
                (
                    record.event, record.state.string, WatermarkHeader(message.watermarkHeader)?.positions,
                    message.recordWithoutHeaders.event
                ))
        }
        try #require(records.count == 2)
        #expect(records[0].event == event && records[0].state == "state" && records[0].positions == [9, 4])
        #expect(records[0].eventWithoutHeaders == nil)
        #expect(records[1].event == nil && records[1].state.isEmpty && records[1].positions == nil)
    }
}
