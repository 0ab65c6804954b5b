import Domain
import Processing
import Support
import Testing

@Suite("Output batch")
struct OutputBatchTests {
    @Test("value and headers belong to the last output; a missing value is a tombstone")
    func outputsKeepTheirParts() throws {
        var batch = OutputBatch(capacity: 64)
        let now = Timestamp(milliseconds: 1000)
        ByteSlice.withBytes(of: "drv_1") { key in
            batch.begin(topic: 0, event: EventID(partition: 0, offset: 1), timestamp: now, key: key)
            batch.writeValue { $0.append(String(repeating: "v", count: 500)) }
            batch.writeHeader(RecordHeader.state) { $0.append("state") }
            batch.source = 9
            batch.begin(
                topic: 1, event: EventID(partition: 0, offset: 2), timestamp: now, key: key, copiesInputHeaders: true)
        }
        let first = try #require(batch.outputs.first)
        let second = try #require(batch.outputs.last)
        let value = try #require(first.value)
        let header = try #require(batch.headers[first.headers].first)
        let texts = [first.key, header.value].map { batch.bytes.slice($0).string }
        #expect(texts == ["drv_1", "state"])
        #expect(value.count == 500)
        #expect(second.value == nil)
        #expect(second.headers.isEmpty)
        #expect(first.source == 0)
        #expect(second.source == 9)
        batch.removeAll()
        let counts = (batch.outputs.count, batch.headers.count, batch.bytes.count)
        #expect(counts == (0, 0, 0))
    }

    /// Begins an output with a value of `count` bytes.
    private func append(_ count: Int, to batch: inout OutputBatch) {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        batch.begin(
            topic: 0, event: EventID(partition: 0, offset: 1), timestamp: Timestamp(milliseconds: 1), key: .empty)
        bytes.withUnsafeBytes { value in batch.writeValue { $0.append(ByteSlice(value)) } }
    }

    @Test("a batch is full at 8 MiB or 65,536 outputs")
    func full() {
        for (count, isFull) in [((8 << 20) - 1, false), (8 << 20, true), ((8 << 20) + 1, true)] {
            var batch = OutputBatch()
            append(count, to: &batch)
            let actual = batch.isFull
            #expect(actual == isFull)
        }
        var batch = OutputBatch()
        for _ in 0..<65_535 { append(0, to: &batch) }
        let before = batch.isFull
        append(0, to: &batch)
        let after = batch.isFull
        #expect(!before && after)
    }

    @Test("the memory of an unusually large batch is released, the memory of a full batch is kept")
    func shrinks() {
        var batch = OutputBatch()
        append(16 << 20, to: &batch)
        batch.removeAll()
        let kept = batch.bytes.capacity
        #expect(kept == 16 << 20)
        append((16 << 20) + 1, to: &batch)
        let enlarged = batch.bytes.capacity
        batch.removeAll()
        let released = batch.bytes.capacity
        #expect(enlarged > 16 << 20 && released <= 1 << 16)
        append(100, to: &batch)
        let count = batch.bytes.count
        #expect(count == 100)
    }
}

@Suite("Punctuation clock")
struct PunctuationClockTests {
    private func punctuations(_ time: inout PunctuationClock, upTo milliseconds: Int64) -> [Int64] {
        var result: [Int64] = []
        while let punctuation = time.nextPunctuation(upTo: Timestamp(milliseconds: milliseconds)) {
            result.append(punctuation.milliseconds)
        }
        return result
    }

    @Test("each multiple of the interval fires one punctuation")
    func punctuationsOnMultiples() {
        var time = PunctuationClock(punctuationIntervalMilliseconds: 5000)
        #expect(punctuations(&time, upTo: 99_000) == [], "no punctuations before the first record")
        time.advance(to: Timestamp(milliseconds: 7000))
        #expect(punctuations(&time, upTo: 9_999) == [])
        #expect(punctuations(&time, upTo: 10_000) == [10_000])
        #expect(punctuations(&time, upTo: 10_001) == [])
        #expect(punctuations(&time, upTo: 20_500) == [15_000, 20_000])
    }

    @Test("after a long gap only the last eight punctuations fire")
    func longSilence() {
        var time = PunctuationClock(punctuationIntervalMilliseconds: 1000)
        time.advance(to: Timestamp(milliseconds: 0))
        let fired = punctuations(&time, upTo: 1_000_000)
        #expect(fired.count == 8)
        #expect(fired.last == 1_000_000)
    }

    @Test("stream time never goes back")
    func neverBack() {
        var time = PunctuationClock(punctuationIntervalMilliseconds: nil)
        time.advance(to: Timestamp(milliseconds: 10))
        time.advance(to: Timestamp(milliseconds: 5))
        #expect(time.newest?.milliseconds == 10)
    }
}
