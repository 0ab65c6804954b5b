import CSimdJSON
import Domain
import Support

/// One record of `trip.warnings`; the slices are valid until the next call to the reader.
package struct TripWarningRecord {
    package var eventID: EventID
    package var tripID: ByteSlice
    package var driverID: ByteSlice
    package var warning: TripWarning
    /// A sentence for the operator.
    package var message: ByteSlice
    /// Stream time of the event that started or ended the warning.
    package var at: Timestamp
}

package enum TripWarningWriter {
    private static let fixedByteCount = 1024

    /// Appends one warning and its sentence; for `at`, see ``TripWarningRecord/at``.
    package static func write(
        event: EventID, tripID: ByteSlice, driverID: ByteSlice, warning: TripWarning, at: Timestamp,
        into writer: inout ByteWriter
    ) {
        let maximum = fixedByteCount + JSONCursor.maximumTextCount(tripID) + JSONCursor.maximumTextCount(driverID)
        var record = TripWarningRecord(
            eventID: event, tripID: tripID, driverID: driverID, warning: warning, message: .empty, at: at)
        RecordWriter.append(&record, event: event, atMost: maximum, to: &writer)
    }
}

/// Reader of `trip.warnings`; use one per thread.
package final class TripWarningReader {
    private let reader = RecordDecoder()

    package init() {}

    package func read(_ value: ByteSlice) -> TripWarningRecord? {
        var event = EventID(partition: 0, offset: 0)
        var record = TripWarningRecord(
            eventID: event, tripID: .empty, driverID: .empty, warning: .blank, message: .empty,
            at: Timestamp(milliseconds: 0))
        guard reader.read(value, event: &event, into: &record), Identifier.isValid(record.tripID),
            Identifier.isValid(record.driverID)
        else { return nil }
        record.eventID = event
        return record
    }
}

extension TripWarningRecord: WireRecord {
    mutating func code<Coder: RecordCoder>(event: inout EventID, with coder: inout Coder) throws {
        try coder.derived(SL_KEY_TYPE) { $0.code("trip_warning") }
        try coder.event(&event)
        try coder.text(SL_KEY_TRIP_ID, &tripID)
        try coder.text(SL_KEY_DRIVER_ID, &driverID)
        try coder.open(SL_KEY_PAYLOAD)
        try warning.code(message: &message, with: &coder)
        try coder.close()
        try coder.time(SL_KEY_SERVER_TIMESTAMP, &at)
    }
}

extension TripWarning {
    fileprivate mutating func code<Coder: RecordCoder>(message: inout ByteSlice, with coder: inout Coder) throws {
        try coder.code(SL_KEY_WARNING_CODE, &code)
        var isResolved = endedAt != nil
        try coder.bool(SL_KEY_RESOLVED, &isResolved)
        try coder.composed(SL_KEY_MESSAGE, &message) { TripWarningMessage.write(self, into: &$0) }
        try coder.time(SL_KEY_BEGAN_AT, &beganAt)
        try coder.time(SL_KEY_ENDED_AT, &endedAt)
        try coder.code(SL_KEY_ENDED_BY, &ending)
        try coder.number(SL_KEY_GREATEST_METERS, &greatestMeters, .tenths)
        try codeCoordinate(with: &coder)
        if Coder.isReading, isResolved != (endedAt != nil) { throw coder.missing(SL_KEY_ENDED_AT) }
    }

    private mutating func codeCoordinate<Coder: RecordCoder>(with coder: inout Coder) throws {
        guard coder.contains(SL_KEY_LATITUDE, coordinate != nil) else {
            if Coder.isReading { coordinate = nil }
            return
        }
        var value = coordinate ?? Coordinate(latitude: 0, longitude: 0)
        try coder.coordinate(&value)
        if Coder.isReading { coordinate = value }
    }
}

/// Sentence of a trip warning: ASCII without quotes, which needs no escapes.
enum TripWarningMessage {
    static func write(_ warning: TripWarning, into json: inout JSONCursor) {
        if let ending = warning.ending, let endedAt = warning.endedAt {
            let (beforeSeconds, afterSeconds) = text(of: ending)
            json.literal(beforeSeconds)
            json.integer(JSONCursor.rounded(endedAt.seconds(since: warning.beganAt), times: 1) ?? 0)
            json.literal(afterSeconds)
            json.literal("; at most ")
        } else {
            json.literal("Left the planned route: ")
        }
        json.integer(JSONCursor.rounded(warning.greatestMeters, times: 1) ?? 0)
        json.literal(" m away.")
    }

    /// Returns the text before and after the number of seconds.
    private static func text(of ending: TripWarning.Ending) -> (StaticString, StaticString) {
        switch ending {
        case .returned: ("Back on the planned route after ", " s")
        case .replanned: ("The trip was replanned ", " s after it left the route")
        case .tripEnded: ("The trip ended off the planned route, ", " s after leaving it")
        case .displaced: ("Replaced by another trip ", " s after it left the route")
        }
    }
}
