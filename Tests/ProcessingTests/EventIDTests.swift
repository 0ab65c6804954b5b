import Domain
import Processing
import Support
import Testing

@Suite("Event ids")
struct EventIDTests {
    @Test(
        "the text of an id is read back as the same id",
        arguments: ["0-0", "3-184467", "3-184467.0", "3-184467.499", "3-184467+2", "t3-512", "3-7.4+12/1", "3-7/255"])
    func textReadsBack(text: String) throws {
        let id = try #require(EventID(text))
        #expect(id.description == text)
    }

    @Test(
        "malformed text gives no id",
        arguments: [
            "", "3", "3-", "-7", "3-7.", "3-7+", "3-7/", "3-7/256", "x3-7", "3-7 ", "3--7", "2147483648-1",
            "1-9223372036854775808", "1-99999999999999999999", "3-7.65534", "3-7/1+1",
        ])
    func malformedText(text: String) {
        #expect(EventID(text) == nil)
    }

    @Test("ids of one offset are ordered by fix, then punctuation, then message")
    func partsAreOrdered() {
        let record = EventID(partition: 1, offset: 10)
        let ordered = [
            record, record.withMessage(1), record.withPunctuation(1), record.withPunctuation(1).withMessage(1),
            record.withPunctuation(2),
            record.withFix(0), record.withFix(0).withMessage(2), record.withFix(1),
            record.withFix(1).withPunctuation(9),
            EventID(partition: 1, offset: 11),
        ]
        for (earlier, later) in zip(ordered, ordered.dropFirst()) {
            #expect(later.isAfter(earlier), "\(later) comes after \(earlier)")
            #expect(!earlier.isAfter(later))
            #expect(!earlier.isAfter(earlier))
        }
    }

    @Test("a watermark advances per origin, and only to newer events")
    func watermarkAdvances() {
        let fifth = EventID(partition: 0, offset: 5)
        let trip = EventID(origin: .trips, partition: 0, offset: 1)
        var watermark = Watermark()
        let results = [fifth, fifth, EventID(partition: 0, offset: 4), trip, fifth.withFix(0), trip].map {
            watermark.advance(to: $0)
        }
        #expect(results == [true, false, false, true, true, false])
        #expect(watermark.last(of: .raw) == fifth.withFix(0))
        #expect(watermark.last(of: .trips) == trip)
    }

    @Test(
        "headers and ids with numbers out of range are not read",
        arguments: [
            EventID(partition: -1, offset: 0), EventID(partition: 0, offset: -1),
            EventID(origin: .raw, partition: 0, offset: 0, part: 0xFFFF << 48),
        ])
    func impossibleEvents(event: EventID) {
        var writer = ByteWriter()
        WatermarkHeader.encode(event: event, positions: [1], into: &writer)
        #expect(WatermarkHeader(writer.bytes) == nil)
        writer.removeAll()
        EventID.write(event, into: &writer)
        #expect(EventID(writer.bytes.buffer, at: 0) == nil)
    }

    @Test("there is no punctuation after the last number")
    func lastPunctuation() throws {
        let last = try #require(EventID(partition: 0, offset: 5).withPunctuation((1 << 40) - 2).nextPunctuation)
        #expect(last.punctuation == (1 << 40) - 1)
        #expect(last.nextPunctuation == nil)
    }

    @Test(
        "a record's time is clamped to the years 1970 to 9999",
        arguments: [
            (Int64.min, Int64(0)), (-1, 0), (0, 0), (253_402_300_799_999, 253_402_300_799_999),
            (253_402_300_800_000, 253_402_300_799_999), (.max, 253_402_300_799_999),
        ])
    func recordTimes(sent: Int64, expected: Int64) {
        let record = InputRecord(
            partition: 0, offset: 0, timestamp: Timestamp(milliseconds: sent), key: .empty, value: nil)
        #expect(record.timestamp == Timestamp(milliseconds: expected))
    }

    @Test("a watermark header is read back; a truncated header is not read")
    func headerReadsBack() throws {
        let header = WatermarkHeader(
            event: EventID(origin: .trips, partition: 7, offset: 1 << 40).withMessage(3), positions: [5, -1])
        var writer = ByteWriter()
        WatermarkHeader.encode(event: header.event, positions: header.positions, into: &writer)
        let read = WatermarkHeader(writer.bytes)
        #expect(read == header)
        for length in 0..<writer.count {
            let cut = WatermarkHeader(writer.slice(0..<length))
            #expect(cut == nil)
        }
    }
}
