import CSimdJSON
import Domain
import Support

/// One record of `driver.warnings`; the slices are valid until the next call to the reader.
package struct WarningRecord {
    package var eventID: EventID
    package var driverID: ByteSlice
    package var warning: LocationWarning
    package var risk: Double
    /// A sentence for the operator.
    package var message: ByteSlice
    /// Receipt of the fix that raised or ended the warning; stream time if fixes stopped.
    package var at: Timestamp
}

package enum WarningWriter {
    private static let fixedByteCount = 1024

    /// Appends one warning and its sentence; `risk` is the risk of the driver.
    ///
    /// For `at`, see ``WarningRecord/at``.
    package static func write(
        event: EventID, driverID: ByteSlice, warning: LocationWarning, risk: Double, at: Timestamp,
        into writer: inout ByteWriter
    ) {
        var record = WarningRecord(
            eventID: event, driverID: driverID, warning: warning, risk: risk, message: .empty, at: at)
        RecordWriter.append(
            &record, event: event, atMost: fixedByteCount + JSONCursor.maximumTextCount(driverID), to: &writer)
    }
}

/// Reader of `driver.warnings`; use one per thread.
package final class WarningReader {
    private let reader = RecordDecoder()

    package init() {}

    package func read(_ value: ByteSlice) -> WarningRecord? {
        var event = EventID(partition: 0, offset: 0)
        var record = WarningRecord(
            eventID: event, driverID: .empty, warning: .blank, risk: 0, message: .empty, at: Timestamp(milliseconds: 0))
        guard reader.read(value, event: &event, into: &record), Identifier.isValid(record.driverID) else { return nil }
        record.eventID = event
        return record
    }
}

extension WarningRecord: WireRecord {
    mutating func code<Coder: RecordCoder>(event: inout EventID, with coder: inout Coder) throws {
        try coder.derived(SL_KEY_TYPE) { $0.code("location_warning") }
        try coder.event(&event)
        try coder.text(SL_KEY_DRIVER_ID, &driverID)
        try coder.open(SL_KEY_PAYLOAD)
        try codeReason(with: &coder)
        try coder.code(SL_KEY_ACTION, &warning.action)
        try coder.composed(SL_KEY_MESSAGE, &message) { WarningMessage.write(warning, into: &$0) }
        if coder.contains(SL_KEY_EVIDENCE, true) {
            try coder.open(SL_KEY_EVIDENCE)
            try warning.evidence.code(with: &coder)
            try coder.close()
        }
        try coder.number(SL_KEY_RISK, &risk, .thousandths, in: 0...1)
        try coder.close()
        try coder.time(SL_KEY_SERVER_TIMESTAMP, &at)
    }

    private mutating func codeReason<Coder: RecordCoder>(with coder: inout Coder) throws {
        var code = ByteSlice.empty
        if !Coder.isReading {
            guard let known = Reasons.all.first(where: { $0.value == warning.reason }) else {
                preconditionFailure("A warning has no reason or several, or one without a code.")
            }
            code = ByteSlice(known.code)
        }
        try coder.text(SL_KEY_WARNING_CODE, &code)
        guard Coder.isReading else { return }
        guard let known = Reasons.all.first(where: { code == $0.code }) else {
            throw coder.missing(SL_KEY_WARNING_CODE)
        }
        warning.reason = known.value
    }
}

extension LocationWarning.Evidence {
    fileprivate mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.number(SL_KEY_DISTANCE_METERS, &distanceMeters, .hundredths)
        try coder.number(SL_KEY_SECONDS, &seconds, .thousandths)
        try coder.number(SL_KEY_SPEED_MPS, &speedMetersPerSecond, .hundredths)
        try coder.number(SL_KEY_ACCURACY_METERS, &accuracyMeters, .hundredths)
        try coder.integer(SL_KEY_FIXES, &fixes)
    }
}
