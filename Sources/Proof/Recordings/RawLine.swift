import Bytes
import Tracking
import Wire

/// One line of recorded raw records: whose it is, and what a ``Resending`` changes without touching anything else of it.
///
/// The line is searched for its members rather than parsed: what a device sent is sent again byte for byte apart from
/// times, ids of sessions and messages, and positions, also when it is no JSON at all. A time in seconds becomes one in
/// milliseconds.
package struct RawLine {
    package private(set) var driverID: String?
    /// The newest time in the line; `nil` when there is none.
    package private(set) var newest: Timestamp?
    /// Fixes in the line, as far as they have a time; at least 1.
    package private(set) var fixes = 1
    /// The line with its times moved.
    package private(set) var bytes: [UInt8] = []

    /// What is copied and changed while a line is read.
    private struct Progress {
        let line: ByteSlice
        let change: Resending
        var copied = 0
        var times = 0
        var hasSession = false
    }

    /// Reads a line, and makes the changes.
    package init(_ line: ByteSlice, _ change: Resending = Resending()) {
        bytes.reserveCapacity(line.count + 64)
        var progress = Progress(line: line, change: change)
        var cursor = 0
        while let name = Self.nextName(in: line, from: cursor) {
            cursor = name.valueStart
            let value = Self.value(in: line, at: name.valueStart)
            take(Self.slice(line, name.range), value, &progress)
            cursor = value.range.upperBound + (value.isQuoted ? 1 : 0)
        }
        bytes.append(contentsOf: line.buffer[progress.copied...])
        fixes = max(1, progress.times)
        if !progress.hasSession, newest != nil { beginSession(change) }
    }

    /// Takes in one member.
    private mutating func take(
        _ name: ByteSlice, _ value: (range: Range<Int>, isQuoted: Bool), _ progress: inout Progress
    ) {
        let text = Self.slice(progress.line, value.range)
        switch name.string {
        case "driver_id", "driverId":
            if driverID == nil { driverID = value.isQuoted ? text.string : nil }
        case "timestamp":
            guard let time = Self.time(text, isQuoted: value.isQuoted) else { return }
            progress.times += 1
            newest = max(newest ?? time, time)
            copy(upTo: value.range, &progress)
            append(
                Timestamp(milliseconds: time.milliseconds + progress.change.shiftMilliseconds).readable,
                isQuoted: value.isQuoted)
        case "session_id", "sessionId":
            progress.hasSession = true
            tag(value, &progress)
        case "id", "message_id", "messageId": tag(value, &progress)
        case "latitude", "lat": move(text, value, &progress) { $0.latitude($1) }
        case "longitude", "lng": move(text, value, &progress) { $0.longitude($1) }
        default: return
        }
    }

    /// Copies what comes before a value that is replaced.
    private mutating func copy(upTo range: Range<Int>, _ progress: inout Progress) {
        bytes.append(contentsOf: progress.line.buffer[progress.copied..<range.lowerBound])
        progress.copied = range.upperBound
    }

    private mutating func tag(_ value: (range: Range<Int>, isQuoted: Bool), _ progress: inout Progress) {
        guard value.isQuoted, !value.range.isEmpty, !progress.change.sessionTag.isEmpty else { return }
        copy(upTo: value.range, &progress)
        bytes.append(contentsOf: progress.change.id(Self.slice(progress.line, value.range).string).utf8)
    }

    private mutating func move(
        _ text: ByteSlice, _ value: (range: Range<Int>, isQuoted: Bool), _ progress: inout Progress,
        _ moved: (Resending, Double) -> Double
    ) {
        guard !value.isQuoted, let number = Double(text.string),
            case let result = moved(progress.change, number), result != number
        else { return }
        copy(upTo: value.range, &progress)
        bytes.append(contentsOf: "\(result)".utf8)
    }

    /// Gives a record a session that it does not name: without one, nothing tells it from the same record before.
    private mutating func beginSession(_ change: Resending) {
        guard !change.sessionTag.isEmpty, let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { return }
        bytes.insert(contentsOf: "\"session_id\":\"\(change.id("replay"))\",".utf8, at: brace + 1)
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
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-+.eE".utf8.contains(byte)
    }
}
