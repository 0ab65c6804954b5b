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

    private static func processor() -> PartitionProcessor {
        let layout = ProcessorLayout(
            name: "silent",
            inputs: [
                .init(topic: "a", resume: .rewound(milliseconds: 10)), .init(topic: "b", resume: .afterChangelog),
            ],
            outputs: [.init(topic: "changelog")])
        return PartitionProcessor(layout: layout, partition: 0, processor: SilentProcessor())
    }

    private static func restore(_ processor: PartitionProcessor, _ positions: [Int64]) {
        var header = ByteWriter()
        WatermarkHeader.encode(event: EventID(partition: 0, offset: 1), positions: positions, into: &header)
        processor.restore(
            InputRecord(partition: 0, offset: 0, timestamp: Timestamp(milliseconds: 5), key: .empty, value: nil),
            watermarkHeader: header.bytes)
    }

    @Test("restored positions are the maximum per input, in any order of records")
    func furthest() {
        let processor = Self.processor()
        Self.restore(processor, [10, 40])
        Self.restore(processor, [30, 20])
        #expect(processor.positions == [30, 40])
        processor.restorePosition(35, of: 0)
        processor.restorePosition(35, of: 1)
        #expect(processor.positions == [35, 40])
    }

    @Test("records before the restored position do not move the position back")
    func rewound() {
        let processor = Self.processor()
        Self.restore(processor, [30, 0])
        var outputs = SequencedOutputs(inputs: 2)
        for offset in [28, 29] as [Int64] {
            let time = Timestamp(milliseconds: offset)
            processor.process(
                InputRecord(partition: 0, offset: offset, timestamp: time, key: .empty, value: nil), source: 0,
                into: &outputs)
            #expect(processor.positions[0] == 30)
        }
        processor.process(
            InputRecord(partition: 0, offset: 30, timestamp: Timestamp(milliseconds: 30), key: .empty, value: nil),
            source: 0, into: &outputs)
        #expect(processor.positions[0] == 31)
    }

    @Test("a header for another number of inputs and a truncated header change no position")
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
