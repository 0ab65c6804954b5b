import Testing

@testable import Kafka
@testable import Processing
@testable import Runtime
@testable import Support

@Suite("Sink partition state")
struct SinkPartitionStateTests {
    private let state = SinkPartitionState(
        name: SinkPartition(topic: "rows", partition: 0), topicPartition: TopicPartition(topic: "rows", partition: 0),
        input: 0, at: SinkPosition(next: 10, readFrom: 7))

    private func record(_ offset: Int64) -> InputRecord {
        InputRecord(partition: 0, offset: offset, timestamp: Timestamp(milliseconds: 1), key: .empty, value: nil)
    }

    /// Adds the records of `offsets`, marks their batch as written, and returns it.
    private func write(_ offsets: ClosedRange<Int64>) -> PartitionBatch? {
        for offset in offsets { state.add(record(offset)) }
        let batch = state.batch()
        if let batch { state.move(past: batch) }
        state.records.removeAll()
        return batch
    }

    @Test("rereading written records does not advance the stored offset")
    func readAgain() throws {
        #expect(state.next == 7 && state.progress == 10)
        let first = try #require(write(7...8))
        #expect((first.from, first.to, first.writtenBefore) == (10, 10, 10))
        #expect(state.next == 9 && state.progress == 10)
        let second = try #require(write(9...9))
        #expect((second.from, second.to) == (10, 10))
        let third = try #require(write(10...12))
        #expect((third.from, third.to) == (10, 13))
        #expect(third.records.allSatisfy { !state.isWritten($0) })
        #expect(state.next == 13 && state.progress == 13)
    }

    @Test("a batch may contain reread and new records")
    func mixed() throws {
        let batch = try #require(write(7...11))
        #expect((batch.from, batch.to, batch.writtenBefore) == (10, 12, 10))
        #expect(batch.records.map(state.isWritten) == [true, true, true, false, false])
    }

    @Test("a truncated topic is reread, and no record counts as written")
    func rewound() throws {
        state.rewind(to: 3)
        #expect(state.progress == 3)
        let batch = try #require(write(3...4))
        #expect((batch.from, batch.to, batch.writtenBefore) == (10, 5, 0))
    }

    @Test("the offset from which a sink reads is limited to the stored offset")
    func readFromBeyond() {
        #expect(SinkPosition(next: 10, readFrom: 12).readFrom == 10)
        #expect(SinkPosition(next: 10).readFrom == 10)
    }
}
