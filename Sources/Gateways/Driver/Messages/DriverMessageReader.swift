import Codec
import Domain
import Support

/// Reader of messages of a driver's device: locations, `trip_status`, `ping` and `pong`.
///
/// Uses the readers of the topics, so that workers can read every accepted message. Locations are written unchanged,
/// except that a byte order mark is removed and an array is wrapped in an object. No time or session is added: an
/// added time would be wrong for a buffered fix, and an added session would make a retried fix a new one. The driver
/// is the record's key, and the receipt time its timestamp. A `trip_status` is rewritten by ``TripWriter``.
///
/// Use one instance per thread. Results are valid until the next call, and only as long as the message.
final class DriverMessageReader {
    private let raw = RawRecordReader()
    private let trips = TripReader()
    /// The value of a record that differs from its message.
    private var value = ByteWriter()

    private static let retainedByteCount = 1 << 16

    /// Parses a message: a JSON object, or an array of locations.
    ///
    /// `driver` is the driver id of the token; a message may omit it but not contradict it.
    func read(_ message: MessageOutline, driver: ByteSlice) -> DriverMessage {
        let text = message.text
        if message.kind == .tripStatus { return tripStatus(text, driver) }
        // After wrapping, text behind the array would become members besides `locations`.
        if message.isArray, !TopLevelJSON(text).isWholeArray { return refused(.malformedJSON, "", driver, text) }
        let record = message.isArray ? wrap(text) : text
        switch raw.read(key: driver, value: record) {
        case .fixes(let isBatch): return locations(record, isBatch: isBatch, driver)
        // A trip status whose type is written with escapes.
        case .unreadable(.wrongTopic, _): return tripStatus(text, driver)
        case .unreadable(.socketMessage, _) where message.kind == .ping: return .ping
        case .unreadable(.socketMessage, _) where message.kind == .pong: return .pong
        case .unreadable(let reason, let field): return refused(reason, "\(field)", driver, record)
        }
    }

    private func tripStatus(_ message: ByteSlice, _ driver: ByteSlice) -> DriverMessage {
        switch trips.read(key: driver, value: message) {
        // Only the trip service may write plans.
        case .trip(let trip) where trip.isDriverStatus:
            value.removeAll(keepingAtMost: Self.retainedByteCount)
            TripWriter.write(trip, into: &value)
            return .tripStatus(trip, value: value.bytes)
        case .unreadable(let reason, let field): return refused(reason, field, driver, message, format: .trips)
        case .trip, .tripWithoutFacts, .tombstone: return refused(.unknownType, "type", driver, message, format: .trips)
        }
    }

    private func locations(_ record: ByteSlice, isBatch: Bool, _ driver: ByteSlice) -> DriverMessage {
        let fixes = raw.fixes
        var runs: [FaultRun] = []
        if raw.unreadableCount > 0 {
            if let foreign = fixes.first(where: { $0.unreadable == .keyMismatch }) {
                return refused(.keyMismatch, "\(foreign.unreadableField)", driver, record)
            }
            runs = FaultRun.runs(among: fixes)
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
        _ unreadable: [FaultRun] = [], format: RecordFormat = .rawLocations
    ) -> DriverMessage {
        var fault = MessageFault(reason, field: field, driver: driver, message: record, format: format)
        fault.unreadable = unreadable
        return .refused(fault)
    }

    private func wrap(_ array: ByteSlice) -> ByteSlice {
        value.removeAll(keepingAtMost: Self.retainedByteCount)
        value.append("{\"locations\":")
        value.append(array)
        value.append("}")
        return value.bytes
    }
}

/// Content of a device's message.
enum DriverMessage {
    /// Written to `driver.locations.raw`.
    case locations(DeviceLocations)
    /// Written to `trips` without other members of the device's message; `eta-worker` validates the transition.
    case tripStatus(TripMessage, value: ByteSlice)
    /// Answered with a `pong`.
    case ping
    case pong
    /// Rejected; the device receives the fault.
    case refused(MessageFault)
}

/// Locations of a device in one record of `driver.locations.raw`, at least one of them readable.
///
/// The record's key is the driver's id and its timestamp the time of receipt; neither is part of the value.
struct DeviceLocations {
    /// Value of the record; valid until the next call to the reader.
    var value: ByteSlice
    var isBatch: Bool
    /// Number of fixes, including unreadable ones.
    var fixCount: Int
    var unreadableCount: Int
    /// The unreadable fixes as up to 64 runs, to report them to the device.
    ///
    /// location-worker evaluates the readable fixes, but also writes the whole batch to the dead letter topic.
    var unreadable: [FaultRun]
    /// `nil` if a readable fix has no sequence, or the readable fixes belong to several sessions.
    var sequences: SequenceSpan?
    /// Speed of the last readable fix, in m/s.
    var speedMetersPerSecond: Double?
    var batteryPercent: Int?
    var isCharging: Bool?
    var network: NetworkType?
}

/// Range of the sequence numbers of a record's readable fixes.
struct SequenceSpan {
    /// Session of the numbers, empty if the device sends none; valid as long as the message.
    var session: ByteSlice
    var lowest: Int64
    var highest: Int64
}
