import Domain
import Support

/// Writes records of `driver.locations`.
package enum VerdictWriter {
    /// Upper bound for names, punctuation and numbers; texts are added.
    private static let fixedByteCount = 2176

    /// Appends the record of one fix; `raw` contains the values that the device reported.
    ///
    /// Allocates nothing unless `writer` has to grow.
    package static func write(
        event: EventID, driverID: ByteSlice, raw: RawFix, result: borrowing VerdictResult, receivedAt: Timestamp,
        into writer: inout ByteWriter
    ) {
        let maximum =
            fixedByteCount + JSONCursor.maximumTextCount(driverID) + JSONCursor.maximumTextCount(raw.sessionID)
            + JSONCursor.maximumTextCount(raw.tripID)
        var record = VerdictRecord(
            eventID: event, driverID: driverID, sessionID: raw.sessionID, tripID: raw.tripID,
            sequence: raw.fix.sequence, verdict: result.verdict, reasons: result.reasons, risk: result.risk,
            riskSignals: result.riskSignals,
            estimate: result.estimate, raw: VerdictRecord.Raw(raw.fix), deviceAt: raw.fix.deviceAt,
            fixedAt: result.fixedAt, receivedAt: receivedAt, batteryPercent: raw.batteryPercent,
            occupancyPercent: raw.occupancyPercent, report: raw.report)
        record.hasLaterFix = raw.hasLaterFix
        RecordWriter.append(&record, event: event, atMost: maximum, to: &writer)
    }
}
