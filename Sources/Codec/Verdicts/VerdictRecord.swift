import Domain
import Support

/// One record of `driver.locations`; the slices are valid until the next call to the reader.
package struct VerdictRecord: Equatable {
    /// Values that the device reported.
    package struct Raw: Equatable {
        package var coordinate: Coordinate
        /// Accuracy in metres; 0 if the device sent 0, see ``Domain/Fix/hasZeroAccuracy``.
        package var accuracyMeters: Double?
        package var headingDegrees: Double?
        package var speedMetersPerSecond: Double?
        package var altitudeMeters: Double?
        package var integrity: Fix.Integrity?
        package var source: Fix.Source?

        package init(coordinate: Coordinate) { self.coordinate = coordinate }

        init(_ fix: Fix) {
            coordinate = fix.coordinate
            accuracyMeters = fix.accuracyMeters ?? (fix.hasZeroAccuracy ? 0 : nil)
            headingDegrees = fix.headingDegrees
            speedMetersPerSecond = fix.speedMetersPerSecond
            altitudeMeters = fix.altitudeMeters
            integrity = fix.integrity == .unknown ? nil : fix.integrity
            source = fix.source == .unknown ? nil : fix.source
        }
    }

    package var eventID: EventID
    package var driverID: ByteSlice
    /// The device's session; empty if absent.
    package var sessionID: ByteSlice
    /// The trip that the device reports; empty if absent.
    package var tripID: ByteSlice
    package var sequence: Int64?
    package var verdict: Verdict
    package var reasons: Reasons
    /// Risk of the driver, in [0, 1].
    package var risk: Double
    /// The main signals behind the risk, at most three; empty while the risk is small.
    package var riskSignals: Signals = []
    /// Estimate of a fix that was accepted, or evaluated and then ``Domain/Verdict/throttled``.
    package var estimate: Estimate?
    package var raw: Raw
    package var deviceAt: Timestamp?
    package var fixedAt: Timestamp
    package var receivedAt: Timestamp
    package var batteryPercent: Int?
    package var occupancyPercent: Int?
    /// Other values that the device reported; in JSON, the accuracies and the mock flag are members of `raw`.
    package var report = DeviceReport()
    /// Whether a verdict on a later fix of the same batch follows.
    package var hasLaterFix = false
}

package enum VerdictWriter {
    /// Appends the record of one fix; allocates only if `writer` must grow.
    package static func write(
        event: EventID, driverID: ByteSlice, raw: RawFix, result: borrowing VerdictResult, receivedAt: Timestamp,
        into writer: inout ByteWriter
    ) {
        let maximum =
            VerdictRecord.fixedByteCount + JSONCursor.maximumTextCount(driverID)
            + JSONCursor.maximumTextCount(raw.sessionID) + JSONCursor.maximumTextCount(raw.tripID)
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

/// Reader of `driver.locations`; allocates only to grow its buffers; use one per thread.
package final class VerdictReader {
    private let reader = RecordDecoder()
    private var record = VerdictReader.blank
    /// Value of ``RecordDecoder/isCanonical`` for the last record.
    var isCanonical: Bool { reader.isCanonical }

    package init() {}

    /// Reads one record, ignoring reasons of a newer writer; `nil` if the record is invalid.
    package func read(_ value: ByteSlice) -> VerdictRecord? {
        var event = record.eventID
        guard reader.read(value, event: &event, into: &record), event.origin == .raw, event.punctuation == 0,
            event.message == 0, !record.driverID.isEmpty
        else { return nil }
        record.eventID = event
        switch record.verdict {
        case .accepted: if record.estimate == nil { return nil }
        // The estimate is optional: present if the fix was evaluated.
        case .throttled: break
        case .late, .duplicate, .rejected: record.estimate = nil
        }
        return record
    }

    private static var blank: VerdictRecord {
        VerdictRecord(
            eventID: EventID(partition: 0, offset: 0), driverID: .empty, sessionID: .empty, tripID: .empty,
            verdict: .rejected, reasons: Reasons(rawValue: 0), risk: 0,
            raw: VerdictRecord.Raw(coordinate: Coordinate(latitude: 0, longitude: 0)),
            fixedAt: Timestamp(milliseconds: 0), receivedAt: Timestamp(milliseconds: 0))
    }
}
