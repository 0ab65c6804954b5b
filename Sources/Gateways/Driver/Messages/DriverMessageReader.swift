import Codec
import Domain
import Support

/// Reads messages of a driver's device: locations, `trip_status`, `ping`.
///
/// Uses the readers of the topics, so every accepted message can be read by the workers, and the device receives an
/// error for every other one. The bytes are passed on unchanged: the driver is the record's key and the receipt time
/// its timestamp. No time or session is added, because an added time would be wrong for a buffered fix, and an added
/// session would make a retried fix a new one. Only a byte order mark is removed, and an array of locations is wrapped
/// in an object.
///
/// Use one instance per thread. Results are valid until the next call, and only as long as the message.
final class DriverMessageReader {
    private let raw: RawRecordReader
    private let statuses: TripStatusMapping
    /// An array of locations wrapped in an object.
    private var wrapped = ByteWriter()

    private static let retainedByteCount = 1 << 16
    /// Maximum digits of a numeric message id.
    private static let maximumDigits = 19

    /// Creates a reader with the limits of the location worker and of the readers of `trips`, which must be valid.
    init(limits: RawLimits = RawLimits(), tripLimits: TripLimits = TripLimits()) {
        raw = RawRecordReader(limits: limits)
        statuses = TripStatusMapping(limits: tripLimits)
    }

    /// Reads a message: a JSON object, or an array of locations.
    ///
    /// `driver` is the driver id of the token; a message may omit it but not contradict it.
    func read(_ message: ByteSlice, driver: ByteSlice) -> DriverMessage {
        let message = message.withoutByteOrderMark
        let isArray = Self.isArray(message)
        // Text after the array would become members beside `locations`.
        if isArray, !TopLevelJSON.isWholeArray(message) { return refused(.malformedJSON, "", driver, message) }
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

    /// Returns the device's message id: `message_id` or `messageId` beside `type`.
    ///
    /// - Returns: JSON text, a quoted ``Codec/Identifier`` or an integer; `nil` if absent.
    static func messageID(of message: ByteSlice) -> ByteSlice? {
        let message = message.withoutByteOrderMark
        guard !isArray(message), let text = TopLevelJSON.lastMember(["message_id", "messageId"], in: message) else {
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
        switch TopLevelJSON.lastMember(["type"], in: message)?.string.lowercased() {
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
            guard let first = runs.first else { preconditionFailure("The record has no fix.") }
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
        wrapped.removeAll(keepingAtMost: Self.retainedByteCount)
        wrapped.append("{\"locations\":")
        wrapped.append(array)
        wrapped.append("}")
        return wrapped.bytes
    }
}

enum DriverMessage {
    /// Written to `driver.locations.raw`.
    case locations(DeviceLocations)
    /// Written to `trips` by ``TripStatusMapping/write(_:into:)``.
    case tripStatus(TripMessage)
    /// Answered with a `pong`.
    case ping
    /// Response to a `ping`.
    case pong
    /// Rejected; the device receives the fault.
    case refused(MessageFault)
}

extension ClientMessage.RequestID {
    /// Creates the id from the result of ``DriverMessageReader/messageID(of:)``; `nil` for `nil`.
    init?(json: ByteSlice?) {
        guard let json, json.count > 0 else { return nil }
        if json[0] == UInt8(ascii: "\"") {
            self = .text(json[1..<json.count - 1].string)
        } else if let number = Int64(json.string) {
            self = .number(number)
        } else {
            return nil
        }
    }
}
