import Lanes
import Testing
import Tracking

@testable import Wire

@Suite("Lines of files")
struct FileReaderTests {
    private func lines(_ text: String, chunk size: Int) -> [String] {
        var framer = LineFramer()
        var lines: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes {
                framer.feed(ByteSlice($0)) { line, number in
                    lines.append(line.string)
                    #expect(number == lines.count)
                }
            }
        }
        framer.finish { line, _ in lines.append(line.string) }
        #expect(framer.lineCount == lines.count)
        return lines
    }

    @Test("lines are the same however the bytes come", arguments: 1...12)
    func chunks(size: Int) {
        #expect(lines("one\ntwo\r\n\n\r\nfive", chunk: size) == ["one", "two", "", "", "five"])
        #expect(lines("one\n", chunk: size) == ["one"])
        #expect(lines("", chunk: size) == [])
        #expect(lines("a\rb\n", chunk: size) == ["a\rb"])
    }

    private func read(_ text: String) -> (lines: [TraceCSV.Line], hasTruth: Bool) {
        var csv = TraceCSV()
        var results: [TraceCSV.Line] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            results.append(ByteSlice.withBytes(of: String(line)) { csv.read($0, number: index + 1) })
        }
        return (results, csv.hasTruth)
    }

    private static let header =
        "trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,speed_mps,heading_deg,altitude_m"

    @Test("a row gives a fix; empty cells are unknown")
    func rows() {
        let (lines, hasTruth) = read("\(Self.header)\nt,d,1741977135123,37.7,-122.4,5.5,,90,\n")
        var row = TraceRow(
            traceID: "t", driverID: "d", at: Timestamp(milliseconds: 1_741_977_135_123),
            coordinate: Coordinate(latitude: 37.7, longitude: -122.4))
        row.accuracyMeters = 5.5
        row.headingDegrees = 90
        #expect(lines == [.nothing, .row(row), .nothing])
        #expect(!hasTruth)
    }

    @Test("columns may come in any order, with others between, and optional ones may be missing")
    func columns() {
        let (lines, hasTruth) = read(
            "\u{FEFF}true_longitude,occupied,longitude,latitude,timestamp_ms,\"driver_id\",trace_id,true_latitude\n"
                + "4,1,2,1,0,d,t,3\n,1,2,1,0,d,t,")
        #expect(hasTruth)
        var row = TraceRow(
            traceID: "t", driverID: "d", at: Timestamp(milliseconds: 0),
            coordinate: Coordinate(latitude: 1, longitude: 2))
        let bare = row
        row.trueCoordinate = Coordinate(latitude: 3, longitude: 4)
        #expect(lines == [.nothing, .row(row), .row(bare)])
    }

    @Test("quoted fields may hold commas and doubled quotes")
    func quotes() {
        let (lines, _) = read("\(Self.header)\n\"a,\"\"b\"\"\",\"d\",0,\"1\",2,,,,")
        guard case .row(let row) = lines[1] else {
            Issue.record("not a row: \(lines)")
            return
        }
        #expect(row.traceID == "a,\"b\"")
    }

    @Test(
        "a bad row says where and why, and the next row is read",
        arguments: [
            ("t,d,x,1,2,,,,", "timestamp_ms is not a whole number."), ("t,d,0,91,2,,,,", "latitude is out of range."),
            ("t,d,0,1,abc,,,,", "longitude is not a number."), ("t,d,0,nan,2,,,,", "latitude is not a number."),
            ("t,d,0,,2,,,,", "The position is empty."), ("t,d,0", "The position is empty."),
            (",d,0,1,2,,,,", "One of trace_id, driver_id and timestamp_ms is empty."),
            ("t,d,0,1,2,fast,,,", "accuracy_m is not a number."), ("\"t,d,0,1,2,,,,", "A quote is not closed."),
            ("\"t\"x,d,0,1,2,,,,", "Something follows a closing quote."),
        ])
    func badRows(row: String, reason: String) {
        let (lines, _) = read("\(Self.header)\n\(row)\nt,d,0,1,2,,,,")
        #expect(lines[1] == .unreadable(number: 2, reason: reason))
        guard case .row = lines[2] else {
            Issue.record("the row after is not read")
            return
        }
    }

    @Test("a header without a required column is named")
    func badHeader() {
        let (lines, _) = read("trace_id,driver_id,timestamp_ms,latitude")
        #expect(lines == [.unreadable(number: 1, reason: "The header has no column longitude.")])
    }

    @Test("a line is a raw record whose driver is its key")
    func bareRecord() {
        let reader = RecordLineReader()
        ByteSlice.withBytes(of: RawSamples.rideshare) { line in
            let record = reader.read(line)
            #expect(record?.key.string == "drv_17")
            #expect(record?.value == line)
            #expect(record?.timestamp == nil)
        }
        ByteSlice.withBytes(of: "no json") { line in
            #expect(reader.read(line)?.key.isEmpty == true)
            #expect(reader.read(line)?.value == line)
        }
    }

    @Test(
        "an envelope keeps all that the broker knew, whatever the value is",
        arguments: [RawSamples.rideshare, "not json \"at\" all", "[1,2]", "{\"cut\":", "", nil])
    func envelope(value: String?) throws {
        let line = ByteSlice.withBytes(of: "drv_17") { key in
            ByteSlice.withBytes(of: value ?? "") { bytes in
                let record = InputRecord(
                    lane: 3, offset: 184_467, timestamp: Timestamp(milliseconds: 1_741_977_135_123), key: key,
                    value: value == nil ? nil : bytes)
                return written { RecordLineWriter().write(record, into: &$0) }
            }
        }
        #expect(line.hasSuffix("}\n") && line.dropLast().allSatisfy { $0 != "\n" })
        let reader = RecordLineReader()
        try ByteSlice.withBytes(of: line) {
            let record = try #require(reader.read($0))
            #expect(record.lane == 3)
            #expect(record.offset == 184_467)
            #expect(record.timestamp == Timestamp(milliseconds: 1_741_977_135_123))
            #expect(record.key == "drv_17")
            #expect(record.value?.string == value)
        }
    }

    @Test(
        "an envelope that is wrong itself is refused",
        arguments: [
            "{\"value\":7}", "{\"value\":{},\"lane\":-1}", "{\"value\":{},\"offset\":\"x\"}",
            "{\"value\":{},\"timestamp\":\"x\"}",
            "{\"value\":{},\"key\":7}",
        ])
    func badEnvelope(line: String) {
        #expect(ByteSlice.withBytes(of: line) { RecordLineReader().read($0) == nil })
    }
}
