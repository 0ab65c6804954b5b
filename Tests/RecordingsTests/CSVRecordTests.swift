import Foundation
import TestSupport
import Testing

@testable import Recordings

@Suite("Records of CSV files", .blocking)
struct CSVRecordTests {
    private func file(_ bytes: [UInt8]) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "rows-\(UUID().uuidString).csv").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func records(_ text: String) throws -> [(line: Int, cells: [String])] {
        let path = try file(Array(text.utf8))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let reader = try CSVRecordReader(LineReader(path: path))
        var records: [(Int, [String])] = []
        while let record = try reader.next() { records.append((reader.lineNumber, CSVLine.cells(record))) }
        return records
    }

    @Test(
        "blanks around cells are removed, and quotes open a cell only at its beginning",
        arguments: [
            ("a, b ,\tc", ["a", "b", "c"]), ("a,\u{a0}b\u{a0}", ["a", "b"]), ("\"a, b\", \" c \"", ["a, b", " c "]),
            ("\"say \"\"hi\"\"\",x", ["say \"hi\"", "x"]), ("5\" pipe,2", ["5\" pipe", "2"]), ("\"\",", ["", ""]),
            ("", [""]), (" ", [""]),
        ])
    func cells(line: String, expected: [String]) {
        #expect(CSVLine.cells(line) == expected)
    }

    @Test(
        "a quoted cell may contain line breaks, and the next record keeps its line number", arguments: ["\n", "\r\n"])
    func quotedBreaks(end: String) throws {
        let read = try records(["a,\"x", "y\",b", "c,d", ""].joined(separator: end))
        #expect(read.map(\.cells) == [["a", "x\ny", "b"], ["c", "d"]])
        #expect(read.map(\.line) == [1, 3])
    }

    @Test("lines may end with carriage returns alone")
    func carriageReturns() throws {
        let read = try records("a,b\rc,\"d\re\"\r\rf,g\r")
        #expect(read.map(\.cells) == [["a", "b"], ["c", "d\ne"], ["f", "g"]])
        #expect(read.map(\.line) == [1, 2, 5])
    }

    @Test("an unclosed quote affects only its own line", arguments: [2, 63, 64, 200])
    func openQuote(lines: Int) throws {
        let rest = (0..<lines).map { "row,\($0)" }
        let read = try records((["a,\"b"] + rest).joined(separator: "\n"))
        #expect(read.count == lines + 1)
        #expect(read.last?.cells == ["row", "\(lines - 1)"] && read.last?.line == lines + 1)
    }

    @Test(
        "the error for a UTF-16 file contains UTF-16, with and without a byte order mark",
        arguments: [true, false], [true, false])
    func utf16(hasMark: Bool, isBigEndian: Bool) throws {
        let units = Array("time,lat,lon\n".utf16)
        let text = (hasMark ? [0xfeff] : []) + units
        let path = try file(
            text.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] })
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: InputError.self) { try VehicleLog.read(path: path) }
        #expect(error?.description.contains("UTF-16") == true)
    }

    @Test("names of vehicles become unique ids")
    func names() throws {
        var mapper = DriverIDMapper()
        #expect(mapper.id(of: "Bus 12") == "Bus-12" && mapper.id(of: "Bus/12") == "Bus-12-2")
        #expect(mapper.id(of: "Bus 12") == "Bus-12" && mapper.id(of: "Bus-12-2") == "Bus-12-2-2")
        #expect(mapper.id(of: "é") == "driver" && mapper.id(of: "ü") == "driver-2")
        let long = String(repeating: "x", count: 200)
        #expect(mapper.id(of: long) == String(repeating: "x", count: 128))
        #expect(mapper.id(of: long + "y") == String(repeating: "x", count: 126) + "-2")
    }
}
