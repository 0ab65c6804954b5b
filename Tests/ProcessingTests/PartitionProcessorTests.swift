import Domain
import Processing
import Support
import Testing

@Suite("Partition processor")
struct PartitionProcessorTests {
    private final class SilentProcessor: Processor {
        var counts: [Int] = []
        func restore(_ record: InputRecord) {}
        func process(_ record: InputRecord, into outputs: inout OutputBatch) {}
    }

    private static func task() -> PartitionProcessor {
        let layout = ProcessorLayout(
            name: "silent",
            inputs: [
                .init(topic: "a", resume: .rewound(milliseconds: 10)), .init(topic: "b", resume: .afterChangelog),
            ],
            outputs: [.init(topic: "changelog")])
        return PartitionProcessor(layout: layout, partition: 0, processor: SilentProcessor())
    }

    private static func restore(_ task: PartitionProcessor, _ positions: [Int64]) {
        var header = ByteWriter()
        WatermarkHeader.encode(event: EventID(partition: 0, offset: 1), positions: positions, into: &header)
        task.restore(
            InputRecord(partition: 0, offset: 0, timestamp: Timestamp(milliseconds: 5), key: .empty, value: nil),
            watermarkHeader: header.bytes)
    }

    @Test("restored positions are the maximum per input, in any order of records")
    func furthest() {
        let task = Self.task()
        Self.restore(task, [10, 40])
        Self.restore(task, [30, 20])
        #expect(task.positions == [30, 40])
        task.restorePosition(35, of: 0)
        task.restorePosition(35, of: 1)
        #expect(task.positions == [35, 40])
    }

    @Test("records before the restored position do not move it back")
    func rewound() {
        let task = Self.task()
        Self.restore(task, [30, 0])
        var outputs = SequencedOutputs(inputs: 2)
        for offset in [28, 29] as [Int64] {
            let time = Timestamp(milliseconds: offset)
            task.process(
                InputRecord(partition: 0, offset: offset, timestamp: time, key: .empty, value: nil), source: 0,
                into: &outputs)
            #expect(task.positions[0] == 30)
        }
        task.process(
            InputRecord(partition: 0, offset: 30, timestamp: Timestamp(milliseconds: 30), key: .empty, value: nil),
            source: 0, into: &outputs)
        #expect(task.positions[0] == 31)
    }

    @Test("a header for another number of inputs and a truncated one change no position")
    func foreignHeader() {
        var positions: [Int64] = [1, 2]
        var header = ByteWriter()
        WatermarkHeader.encode(event: EventID(partition: 0, offset: 1), positions: [9, 9, 9], into: &header)
        #expect(!WatermarkHeader.raise(&positions, by: header.bytes))
        #expect(!WatermarkHeader.raise(&positions, by: header.slice(0..<22)))
        #expect(!WatermarkHeader.raise(&positions, by: .empty))
        #expect(positions == [1, 2])
    }
}
