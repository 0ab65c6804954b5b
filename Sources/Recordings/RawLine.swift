import Codec
import Support

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
        for member in MemberScanner(line) { take(member, &progress) }
        bytes.append(contentsOf: line.buffer[progress.copied...])
        fixes = max(1, progress.times)
        if !progress.hasSession, newest != nil { beginSession(change) }
    }

    private mutating func take(_ member: MemberScanner.Member, _ progress: inout Progress) {
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

    /// Copies what comes before a value that is replaced.
    private mutating func copy(upTo range: Range<Int>, _ progress: inout Progress) {
        bytes.append(contentsOf: progress.line.buffer[progress.copied..<range.lowerBound])
        progress.copied = range.upperBound
    }

    private mutating func shift(_ member: MemberScanner.Member, _ progress: inout Progress) {
        let text = progress.line[member.range]
        let read = member.isString ? ISO8601.time(text) : Self.number(text).flatMap { Timestamp(deviceNumber: $0) }
        guard let time = read else { return }
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
        _ member: MemberScanner.Member, _ progress: inout Progress, _ moved: (Resending, Double) -> Double
    ) {
        guard !member.isString, let number = Self.number(progress.line[member.range]),
            case let result = moved(progress.change, number), result != number
        else { return }
        copy(upTo: member.range, &progress)
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

    /// A number as JSON writes it; Swift reads words and hexadecimal digits, too.
    private static func number(_ text: ByteSlice) -> Double? {
        let isNumber = text.buffer.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "-+.eE".utf8.contains($0)
        }
        return isNumber ? Double(text.string) : nil
    }
}
