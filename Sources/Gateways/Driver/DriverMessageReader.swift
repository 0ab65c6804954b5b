import Codec
import Support

/// Reads what a driver's device sends over a WebSocket or by POST: locations of both designs, one or many, a
/// `trip_status`, a `ping`.
///
/// Only the form is checked, by the readers of the topics themselves: what is handed on, they read, or the device is
/// told what they do not. The bytes of a message are handed on as they are, since a record has its driver as its key and
/// its receipt as its timestamp. A byte order mark is left out, which the workers do not read. Nothing is added: an invented time would be that of a fix from a buffer, and an
/// invented session would make a fix that is sent again a new one. Only an array of locations gets an object around it.
///
/// One per thread. What it hands out is valid until its next call, and as long as the message is.
package final class DriverMessageReader {
    private let raw: RawRecordReader
    private let statuses: TripStatusMapping
    /// An array of locations with the object around it.
    private var wrapped = ByteWriter()

    private static let keptByteCount = 1 << 16
    /// Of a message id that is a number.
    private static let maximumDigits = 19

    /// - Parameters:
    ///   - limits: those of the location worker's own reader, which must have no problems.
    ///   - tripLimits: those of the readers of `trips`, which must have no problems.
    package init(limits: RawLimits = RawLimits(), tripLimits: TripLimits = TripLimits()) {
        raw = RawRecordReader(limits: limits)
        statuses = TripStatusMapping(limits: tripLimits)
    }

    /// Reads one message.
    /// - Parameters:
    ///   - message: a JSON object, or an array of locations.
    ///   - driver: the driver's id of the token, which a message need not repeat and must not contradict.
    /// - Returns: what it is, or why it is refused.
    package func read(_ message: ByteSlice, driver: ByteSlice) -> DriverMessage {
        let message = message.withoutByteOrderMark
        let isArray = Self.isArray(message)
        // Text behind the array would become members beside `locations`.
        if isArray, !OutermostMembers.isWholeArray(message) { return refused(.malformedJSON, "", driver, message) }
        let record = isArray ? wrap(message) : message
        switch raw.read(key: driver, value: record) {
        case .fixes(let isBatch): return locations(record, isBatch: isBatch, driver)
        case .unreadable(.wrongTopic, _):
            switch statuses.read(message, driver: driver) {
            case .success(let status): return .tripStatus(status)
            case .failure(let fault): return .refused(fault)
            }
        case .unreadable(.socketMessage, let field):
            return ofConnection(message) ?? refused(.socketMessage, "\(field)", driver, record)
        case .unreadable(let reason, let field): return refused(reason, "\(field)", driver, record)
        }
    }

    /// The id that the device gave its message, `message_id` or `messageId` beside its `type`, for the answer.
    ///
    /// - Returns: JSON text, ``Wire/Identifier`` in quotes or a whole number; `nil` where the message has none of these.
    package static func messageID(of message: ByteSlice) -> ByteSlice? {
        let message = message.withoutByteOrderMark
        guard !isArray(message), let text = OutermostMembers.last(["message_id", "messageId"], in: message) else {
            return nil
        }
        if text.count > 2, text[0] == UInt8(ascii: "\""), text[text.count - 1] == UInt8(ascii: "\"") {
            return Identifier.isValid(text[1..<text.count - 1]) ? text : nil
        }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard text.count <= maximumDigits, text.buffer.allSatisfy({ digits.contains($0) }) else { return nil }
        return text[0] != UInt8(ascii: "0") || text.count == 1 ? text : nil
    }

    private func ofConnection(_ message: ByteSlice) -> DriverMessage? {
        switch OutermostMembers.last(["type"], in: message)?.string.lowercased() {
        case "\"ping\"": .ping
        case "\"pong\"": .pong
        default: nil
        }
    }

    private func locations(_ record: ByteSlice, isBatch: Bool, _ driver: ByteSlice) -> DriverMessage {
        let fixes = raw.fixes
        var runs: [UnreadableFixes] = []
        if raw.unreadableCount > 0 {
            if let foreign = fixes.first(where: { $0.unreadable == .keyMismatch }) {
                return refused(.keyMismatch, "\(foreign.unreadableField)", driver, record)
            }
            runs = UnreadableFixes.runs(among: fixes)
        }
        guard let last = fixes.last(where: { $0.unreadable == nil }) else {
            guard let first = runs.first else { preconditionFailure("A record was read that has no fix.") }
            return refused(first.reason, first.field, driver, record, runs)
        }
        return .locations(
            DeviceLocations(
                value: record, isBatch: isBatch, fixCount: fixes.count, unreadableCount: raw.unreadableCount,
                unreadable: runs, sequences: Self.sequences(of: fixes),
                speedMetersPerSecond: last.fix.speedMetersPerSecond, batteryPercent: last.batteryPercent,
                isCharging: last.report.isCharging, network: last.report.networkType))
    }

    private static func sequences(of fixes: [RawFix]) -> SequenceSpan? {
        var span: SequenceSpan?
        for fix in fixes where fix.unreadable == nil {
            guard let sequence = fix.fix.sequence else { return nil }
            guard let known = span else {
                span = SequenceSpan(session: fix.sessionID, lowest: sequence, highest: sequence)
                continue
            }
            guard known.session == fix.sessionID else { return nil }
            span?.lowest = min(known.lowest, sequence)
            span?.highest = max(known.highest, sequence)
        }
        return span
    }

    private func refused(
        _ reason: DeadLetterReason, _ field: String, _ driver: ByteSlice, _ record: ByteSlice,
        _ unreadable: [UnreadableFixes] = []
    ) -> DriverMessage {
        var fault = MessageFault(reason, field: field, driver: driver, message: record, form: .rawLocations)
        fault.unreadable = unreadable
        return .refused(fault)
    }

    private static func isArray(_ message: ByteSlice) -> Bool {
        message.buffer.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "[")
    }

    private func wrap(_ array: ByteSlice) -> ByteSlice {
        wrapped.removeAll(keepingAtMost: Self.keptByteCount)
        wrapped.append("{\"locations\":")
        wrapped.append(array)
        wrapped.append("}")
        return wrapped.bytes
    }
}
