import Model
import Support

/// Writes records of `driver.locations`.
package enum VerdictWriter {
    /// Names, punctuation and numbers of the largest record; texts come on top.
    private static let fixedByteCount = 2176

    /// Appends the record of one fix.
    ///
    /// Allocates nothing unless `writer` has to grow.
    ///
    /// `raw` holds what the device said; what it did not say is left out.
    package static func write(
        event: EventID, driverID: ByteSlice, raw: RawFix, judgement: borrowing VerdictResult, receivedAt: Timestamp,
        into writer: inout ByteWriter
    ) {
        let maximum =
            fixedByteCount + JSONCursor.maximumTextCount(driverID) + JSONCursor.maximumTextCount(raw.sessionID)
            + JSONCursor.maximumTextCount(raw.tripID)
        var record = VerdictRecord(
            eventID: event, driverID: driverID, sessionID: raw.sessionID, tripID: raw.tripID,
            sequence: raw.fix.sequence, verdict: judgement.verdict, reasons: judgement.reasons, risk: judgement.risk,
            riskSignals: judgement.riskSignals,
            estimate: judgement.estimate, raw: VerdictRecord.Raw(raw.fix), deviceAt: raw.fix.deviceAt,
            fixedAt: judgement.fixedAt, receivedAt: receivedAt, batteryPercent: raw.batteryPercent,
            occupancyPercent: raw.occupancyPercent, report: raw.report)
        record.isFollowed = raw.isFollowed
        RecordWriter.append(&record, event: event, atMost: maximum, to: &writer)
    }
}
