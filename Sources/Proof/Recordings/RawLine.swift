import Bytes
import Tracking
import Wire

/// One line of recorded raw records: whose it is, and its times moved without touching anything else of it.
///
/// The line is searched for its `driver_id` and `timestamp` members rather than parsed: what a device sent is sent
/// again byte for byte apart from its times, also when it is no JSON at all. A time in seconds becomes one in milliseconds.
package struct RawLine {
    package private(set) var driverID: String?
    /// The newest time in the line; `nil` when there is none.
    package private(set) var newest: Timestamp?
    /// Fixes in the line, as far as they have a time; at least 1.
    package private(set) var fixes = 1
    /// The line with its times moved.
    package private(set) var bytes: [UInt8] = []

    /// Reads a line and moves every time in it by `shiftMilliseconds`.
    package init(_ line: ByteSlice, shiftMilliseconds: Int64 = 0) {
        bytes.reserveCapacity(line.count + 8)
        var copied = 0
        var times = 0
        var cursor = 0
        while let name = Self.nextName(in: line, from: cursor) {
            cursor = name.valueStart
            let value = Self.value(in: line, at: name.valueStart)
            if line.text(name.range, is: "driver_id") || line.text(name.range, is: "driverId"), driverID == nil {
                driverID = value.isQuoted ? Self.slice(line, value.range).string : nil
            } else if line.text(name.range, is: "timestamp"),
                let time = Self.time(Self.slice(line, value.range), isQuoted: value.isQuoted)
            {
                times += 1
                newest = max(newest ?? time, time)
                bytes.append(contentsOf: line.buffer[copied..<value.range.lowerBound])
                append(
                    Timestamp(milliseconds: time.milliseconds + shiftMilliseconds).readable, isQuoted: value.isQuoted)
                copied = value.range.upperBound
            }
            cursor = value.range.upperBound + (value.isQuoted ? 1 : 0)
        }
        bytes.append(contentsOf: line.buffer[copied...])
        fixes = max(1, times)
    }

    private mutating func append(_ time: Timestamp, isQuoted: Bool) {
        guard isQuoted else { return bytes.append(contentsOf: String(time.milliseconds).utf8) }
        var text = ByteWriter(capacity: 64)
        ISO8601.write(time, into: &text)
        // The quotes are those of the line.
        bytes.append(contentsOf: text.bytes.buffer.dropFirst().dropLast())
    }

    /// The next `"name" :` at or after `start`.
    private static func nextName(in line: ByteSlice, from start: Int) -> (range: Range<Int>, valueStart: Int)? {
        var cursor = start
        while cursor < line.count {
            guard line[cursor] == UInt8(ascii: "\"") else {
                cursor += 1
                continue
            }
            let end = closingQuote(in: line, from: cursor + 1)
            guard end < line.count else { return nil }
            var after = end + 1
            while after < line.count, isSpace(line[after]) { after += 1 }
            if after < line.count, line[after] == UInt8(ascii: ":") {
                after += 1
                while after < line.count, isSpace(line[after]) { after += 1 }
                return (cursor + 1..<end, after)
            }
            cursor = end + 1
        }
        return nil
    }

    /// The scalar that begins at `start`: the inside of a string, or what runs up to the next separator.
    private static func value(in line: ByteSlice, at start: Int) -> (range: Range<Int>, isQuoted: Bool) {
        guard start < line.count else { return (start..<start, false) }
        if line[start] == UInt8(ascii: "\"") {
            return (start + 1..<closingQuote(in: line, from: start + 1), true)
        }
        var end = start
        while end < line.count, isNumberByte(line[end]) { end += 1 }
        return (start..<end, false)
    }

    private static func closingQuote(in line: ByteSlice, from start: Int) -> Int {
        var cursor = start
        while cursor < line.count, line[cursor] != UInt8(ascii: "\"") {
            cursor += line[cursor] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(cursor, line.count)
    }

    private static func time(_ text: ByteSlice, isQuoted: Bool) -> Timestamp? {
        if isQuoted { return ISO8601.time(text) }
        return Double(text.string).flatMap { Timestamp(deviceNumber: $0) }
    }

    private static func slice(_ line: ByteSlice, _ range: Range<Int>) -> ByteSlice {
        ByteSlice(UnsafeRawBufferPointer(rebasing: line.buffer[range]))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }
}

extension ByteSlice {
    fileprivate func text(_ range: Range<Int>, is name: StaticString) -> Bool {
        ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[range])) == name
    }
}
