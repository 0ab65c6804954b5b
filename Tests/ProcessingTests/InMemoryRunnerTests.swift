import Domain
import Processing
import Support
import Testing

@Suite("Running a processor in memory")
struct InMemoryRunnerTests {
    /// A processor that writes the count of records to both outputs, and at punctuations only to the changelog.
    private final class CountingProcessor: Processor {
        static func layout(punctuationMilliseconds: Int64? = nil) -> ProcessorLayout {
            ProcessorLayout(
                name: "counting",
                inputs: [.init(topic: "a", resume: .afterChangelog), .init(topic: "b", resume: .replayed)],
                outputs: [.init(topic: "changelog"), .init(topic: "side")],
                punctuationIntervalMilliseconds: punctuationMilliseconds)
        }

        var counts: [Int] = []
        var count: Int64 = 0
        private var last = EventID(partition: 0, offset: -1)

        func restore(_ record: InputRecord) {
            count = Int64(littleEndian: record.state.buffer.loadUnaligned(as: Int64.self))
            if let event = record.event { last = event }
        }

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            count += 1
            let origin: EventID.Origin = record.input == 0 ? .raw : .trips
            last = EventID(origin: origin, partition: record.partition, offset: record.offset)
            for topic in 0...1 { write(topic, last, record.timestamp, into: &outputs) }
        }

        func punctuate(now: Timestamp, into outputs: inout OutputBatch) {
            last = last.withPunctuation(last.punctuation + 1)
            write(0, last, now, into: &outputs)
        }

        private func write(_ topic: Int, _ event: EventID, _ time: Timestamp, into outputs: inout OutputBatch) {
            outputs.begin(topic: topic, event: event, timestamp: time, key: .empty)
            outputs.writeValue { $0.append("\(count)") }
            outputs.writeHeader(RecordHeader.state) { $0.append(littleEndian: count) }
        }
    }

    private static func record(_ offset: Int64, at milliseconds: Int64, input: Int = 0) -> InputRecord {
        InputRecord(
            input: input, partition: 2, offset: offset, timestamp: Timestamp(milliseconds: milliseconds), key: .empty,
            value: .empty)
    }

    private static func runner(_ processor: CountingProcessor, punctuationMilliseconds: Int64? = nil) -> InMemoryRunner
    {
        InMemoryRunner(
            layout: CountingProcessor.layout(punctuationMilliseconds: punctuationMilliseconds), partition: 2,
            processor: processor)
    }

    private static func lines(_ runner: inout InMemoryRunner) -> [String] {
        var lines: [String] = []
        runner.drainOutputs { lines.append("\($0.topic) \($0.event) @\($0.timestamp.milliseconds)") }
        return lines
    }

    @Test("due punctuations fire before the record that passes them, but not before the first record")
    func punctuations() {
        var runner = Self.runner(CountingProcessor(), punctuationMilliseconds: 100)
        runner.process(Self.record(0, at: 1050))
        runner.process(Self.record(1, at: 1199))
        runner.process(Self.record(2, at: 1200))
        #expect(
            Self.lines(&runner) == [
                "0 2-0 @1050", "1 2-0 @1050", "0 2-0+1 @1100", "0 2-1 @1199", "1 2-1 @1199", "0 2-1+1 @1200",
                "0 2-2 @1200", "1 2-2 @1200",
            ])
        runner.advanceStreamTime(to: Timestamp(milliseconds: 1299))
        #expect(Self.lines(&runner) == [])
        runner.advanceStreamTime(to: Timestamp(milliseconds: 1300))
        #expect(Self.lines(&runner) == ["0 2-2+1 @1300"])
    }

    @Test("an output that does not advance its topic's watermark is dropped and counted")
    func repeated() {
        var runner = Self.runner(CountingProcessor())
        runner.process(Self.record(5, at: 1))
        _ = Self.lines(&runner)
        runner.process(Self.record(5, at: 1))
        runner.process(Self.record(4, at: 1))
        runner.process(Self.record(6, at: 2))
        #expect(Self.lines(&runner) == ["0 2-6 @2", "1 2-6 @2"])
        #expect(runner.repeated == 4)
    }

    @Test("a watermark header has the position of the current record and the next position of other inputs")
    func positions() {
        var runner = Self.runner(CountingProcessor(), punctuationMilliseconds: 100)
        runner.process(Self.record(7, at: 100))
        runner.process(Self.record(3, at: 150, input: 1))
        runner.process(Self.record(8, at: 210))
        var headers: [String] = []
        runner.drainOutputs { output in
            guard output.topic == 0, let header = WatermarkHeader(output.watermarkHeader) else { return }
            headers.append("\(header.event) \(header.positions)")
        }
        #expect(headers == ["2-7 [7, 0]", "t2-3 [8, 3]", "t2-3+1 [8, 4]", "2-8 [8, 4]"])
        #expect(runner.positions == [9, 4])
    }

    @Test("a processor restored at any point gives the outputs of an uninterrupted processor")
    func restore() {
        let records = (0..<40).map { Self.record(Int64($0), at: Int64($0) * 70) }
        let whole = CountingProcessor()
        var reference = Self.runner(whole, punctuationMilliseconds: 100)
        for record in records { reference.process(record) }
        let expected = Self.lines(&reference)
        for cut in 1..<40 {
            var first = Self.runner(CountingProcessor(), punctuationMilliseconds: 100)
            for record in records[..<cut] { first.process(record) }
            let second = CountingProcessor()
            var resumed = Self.runner(second, punctuationMilliseconds: 100)
            var lines: [String] = []
            first.drainOutputs { output in
                lines.append("\(output.topic) \(output.event) @\(output.timestamp.milliseconds)")
                guard output.topic == 0 else { return }
                resumed.restore(output.record(offset: 0), watermarkHeader: output.watermarkHeader)
            }
            resumed.finishRestore()
            // The restored position is the last record's, which this test does not process again.
            #expect(resumed.positions[0] == Int64(cut - 1))
            for record in records[cut...] { resumed.process(record) }
            #expect(lines + Self.lines(&resumed) == expected, "cut at \(cut)")
            #expect(second.count == whole.count)
        }
    }
}
