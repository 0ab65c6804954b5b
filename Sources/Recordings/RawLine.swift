import Codec
import Support

/// A line of recorded raw records, changed by a ``ReplayTransform``.
///
/// The line is scanned for members and not parsed. Only times, session and message ids, and positions change; all other
/// bytes stay the same, even if the line is not valid JSON. Times in seconds become milliseconds.
package struct RawLine {
    package private(set) var driverID: String?
    /// The newest time in the original line; `nil` if absent.
    package private(set) var newest: Timestamp?
    /// Number of fixes with a time; at least 1.
    package private(set) var fixes = 1
    /// The changed line.
    package private(set) var bytes: [UInt8] = []

    /// State of the conversion of a line.
    private struct Progress {
        let line: ByteSlice
        let change: ReplayTransform
        var copied = 0
        var times = 0
        var hasSession = false
    }

    /// Reads and changes a line.
    package init(_ line: ByteSlice, _ change: ReplayTransform = ReplayTransform()) {
        bytes.reserveCapacity(line.count + 64)
        var progress = Progress(line: line, change: change)
        for member in MemberScanner(line) { apply(member, &progress) }
        bytes.append(contentsOf: line.buffer[progress.copied...])
        fixes = max(1, progress.times)
        if !progress.hasSession, newest != nil { beginSession(change) }
    }

    private mutating func apply(_ member: MemberScanner.Member, _ progress: inout Progress) {
        switch member.name.string {
        case "driver_id", "driverId":
            if driverID == nil { driverID = member.isString ? progress.line[member.range].string : nil }
        case "timestamp": shift(member, &progress)
        case "session_id", "sessionId":
            progress.hasSession = true
            tag(member, &progress)
        case "id", "message_id", "messageId": tag(member, &progress)
        case "latitude", "lat": move(member, &progress) { $0.latitude($1) }
        case "longitude", "lng": move(member, &progress) { $0.longitude($1) }
        default: return
        }
    }

    /// Copies the bytes before a value that is to be replaced, and skips the value.
    private mutating func copy(upTo range: Range<Int>, _ progress: inout Progress) {
        bytes.append(contentsOf: progress.line.buffer[progress.copied..<range.lowerBound])
        progress.copied = range.upperBound
    }

    private mutating func shift(_ member: MemberScanner.Member, _ progress: inout Progress) {
        let text = progress.line[member.range]
        let parsed = member.isString ? ISO8601.time(text) : Self.number(text).flatMap { Timestamp(numericTime: $0) }
        guard let time = parsed else { return }
        progress.times += 1
        newest = max(newest ?? time, time)
        copy(upTo: member.range, &progress)
        append(
            Timestamp(milliseconds: time.milliseconds + progress.change.shiftMilliseconds).readable,
            isQuoted: member.isString)
    }

    private mutating func tag(_ member: MemberScanner.Member, _ progress: inout Progress) {
        guard member.isString, !member.range.isEmpty, !progress.change.sessionTag.isEmpty else { return }
        copy(upTo: member.range, &progress)
        bytes.append(contentsOf: progress.change.id(progress.line[member.range].string).utf8)
    }

    private mutating func move(
        _ member: MemberScanner.Member, _ progress: inout Progress, _ moved: (ReplayTransform, Double) -> Double
    ) {
        guard !member.isString, let number = Self.number(progress.line[member.range]),
            case let result = moved(progress.change, number), result != number
        else { return }
        copy(upTo: member.range, &progress)
        bytes.append(contentsOf: "\(result)".utf8)
    }

    /// Adds a session id to a record without a session id, so that the record differs from the original.
    private mutating func beginSession(_ change: ReplayTransform) {
        guard !change.sessionTag.isEmpty, let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { return }
        bytes.insert(contentsOf: "\"session_id\":\"\(change.id("replay"))\",".utf8, at: brace + 1)
    }

    private mutating func append(_ time: Timestamp, isQuoted: Bool) {
        guard isQuoted else { return bytes.append(contentsOf: String(time.milliseconds).utf8) }
        var text = ByteWriter(capacity: 64)
        ISO8601.write(time, into: &text)
        // The line already has the quotes.
        bytes.append(contentsOf: text.bytes.buffer.dropFirst().dropLast())
    }

    /// Parses a JSON number; Swift would also accept words and hexadecimal digits.
    private static func number(_ text: ByteSlice) -> Double? {
        let isNumber = text.buffer.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "-+.eE".utf8.contains($0)
        }
        return isNumber ? Double(text.string) : nil
    }
}
