import Model
import Processing
import Support
import Testing

@Suite("Driving a partition")
struct PartitionProcessorTests {
    private final class SilentStage: Processor {
        var counts: [Int] = []
        func restore(_ record: InputRecord) {}
        func process(_ record: InputRecord, into outputs: inout OutputBatch) {}
    }

    private static func driver() -> PartitionProcessor {
        let layout = ProcessorLayout(
            name: "silent",
            inputs: [
                .init(topic: "a", resume: .rewound(milliseconds: 10)), .init(topic: "b", resume: .afterChangelog),
            ],
            outputs: [.init(topic: "changelog")])
        return PartitionProcessor(layout: layout, partition: 0, stage: SilentStage())
    }

    private static func restore(_ driver: PartitionProcessor, _ positions: [Int64]) {
        var header = ByteWriter()
        WatermarkHeader.encode(event: EventID(partition: 0, offset: 1), positions: positions, into: &header)
        driver.restore(
            InputRecord(partition: 0, offset: 0, timestamp: Timestamp(milliseconds: 5), key: .empty, value: nil),
            clockHeader: header.bytes)
    }

    @Test("restored positions are the furthest of each input, whatever order a zombie wrote them in")
    func furthest() {
        let driver = Self.driver()
        Self.restore(driver, [10, 40])
        Self.restore(driver, [30, 20])
        #expect(driver.positions == [30, 40])
        driver.restorePosition(35, of: 0)
        driver.restorePosition(35, of: 1)
        #expect(driver.positions == [35, 40])
    }

    @Test("records before the restored position do not take it back")
    func rewound() {
        let driver = Self.driver()
        Self.restore(driver, [30, 0])
        var outputs = SequencedOutputs(inputs: 2)
        for offset in [28, 29] as [Int64] {
            let time = Timestamp(milliseconds: offset)
            driver.process(
                InputRecord(partition: 0, offset: offset, timestamp: time, key: .empty, value: nil), source: 0,
                into: &outputs)
            #expect(driver.positions[0] == 30)
        }
        driver.process(
            InputRecord(partition: 0, offset: 30, timestamp: Timestamp(milliseconds: 30), key: .empty, value: nil),
            source: 0, into: &outputs)
        #expect(driver.positions[0] == 31)
    }

    @Test("a header for another number of inputs, or a broken one, changes nothing")
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
