import Bytes
import Pipeline
import Tracking

/// Writes records of `driver.locations`.
package enum VerdictWriter {
    /// Names, punctuation and numbers of the largest record; texts come on top.
    private static let fixedByteCount = 1536

    /// Appends the record of one fix.
    ///
    /// Allocates nothing unless `writer` has to grow.
    ///
    /// `raw` holds what the device said: mock flag, failed integrity and a source other than the usual are written
    /// only where they say something.
    package static func write(
        event: EventID, driverID: ByteSlice, raw: RawFix, judgement: borrowing Judgement, receivedAt: Timestamp,
        into writer: inout ByteWriter
    ) {
        let maximum =
            fixedByteCount + JSONCursor.maximumTextCount(driverID) + JSONCursor.maximumTextCount(raw.sessionID)
            + JSONCursor.maximumTextCount(raw.tripID)
        let verdict = judgement.verdict
        let reasons = judgement.reasons
        let risk = judgement.risk
        let estimate = judgement.estimate
        let fixedAt = judgement.fixedAt
        writer.appendJSON(atMost: maximum) { json in
            json.literal("{\"event_id\":")
            json.eventID(event)
            json.literal(",\"driver_id\":")
            json.text(driverID)
            identity(raw, &json)
            json.literal(",\"verdict\":")
            json.code(verdict.code)
            json.literal(",\"reasons\":[")
            if reasons.rawValue != 0 { codes(of: reasons, &json) }
            json.literal("],\"risk\":")
            json.thousandths(risk)
            if let estimate { self.estimate(estimate, &json) }
            device(raw.fix, &json)
            times(raw, fixedAt: fixedAt, receivedAt: receivedAt, &json)
            json.literal("}")
        }
    }

    @inline(__always)
    private static func identity(_ raw: RawFix, _ json: inout JSONCursor) {
        if !raw.sessionID.isEmpty {
            json.literal(",\"session_id\":")
            json.text(raw.sessionID)
        }
        if let sequence = raw.fix.sequence {
            json.literal(",\"sequence\":")
            json.integer(sequence)
        }
        if !raw.tripID.isEmpty {
            json.literal(",\"trip_id\":")
            json.text(raw.tripID)
        }
    }

    static func codes(of reasons: Reasons, _ json: inout JSONCursor) {
        var isFirst = true
        for (code, reason) in Reasons.all where reasons.rawValue & reason.rawValue != 0 {
            if !isFirst { json.literal(",") }
            json.code(code)
            isFirst = false
        }
    }

    @inline(__always)
    private static func estimate(_ estimate: Estimate, _ json: inout JSONCursor) {
        json.literal(",\"latitude\":")
        json.degrees(estimate.coordinate.latitude)
        json.literal(",\"longitude\":")
        json.degrees(estimate.coordinate.longitude)
        if let heading = estimate.headingDegrees {
            json.literal(",\"heading\":")
            json.heading(heading)
        }
        json.literal(",\"speed_mps\":")
        json.hundredths(estimate.speedMetersPerSecond)
        json.literal(",\"accuracy_meters\":")
        json.hundredths(estimate.accuracyMeters)
        json.literal(",\"confidence\":")
        json.code(estimate.confidence.code)
        json.literal(",\"is_halted\":")
        json.bool(estimate.isHalted)
    }

    @inline(__always)
    private static func device(_ fix: Fix, _ json: inout JSONCursor) {
        json.literal(",\"raw\":{\"latitude\":")
        json.degrees(fix.coordinate.latitude)
        json.literal(",\"longitude\":")
        json.degrees(fix.coordinate.longitude)
        if let accuracy = fix.accuracyMeters {
            json.literal(",\"accuracy_meters\":")
            json.hundredths(accuracy)
        } else if fix.hasZeroAccuracy {
            json.literal(",\"accuracy_meters\":0")
        }
        if let heading = fix.headingDegrees {
            json.literal(",\"heading\":")
            json.heading(heading)
        }
        if let speed = fix.speedMetersPerSecond {
            json.literal(",\"speed_mps\":")
            json.hundredths(speed)
        }
        if let altitude = fix.altitudeMeters {
            json.literal(",\"altitude_meters\":")
            json.hundredths(altitude)
        }
        if fix.isMock { json.literal(",\"is_mock\":true") }
        if fix.integrity == .failed { json.literal(",\"integrity\":\"FAILED\"") }
        switch fix.source {
        case .unknown, .gps: break
        case .wifi: json.literal(",\"source\":\"wifi\"")
        case .cellular: json.literal(",\"source\":\"cellular\"")
        case .fused: json.literal(",\"source\":\"fused\"")
        case .cached: json.literal(",\"source\":\"cached\"")
        }
        json.literal("}")
    }

    @inline(__always)
    private static func times(
        _ raw: RawFix, fixedAt: Timestamp, receivedAt: Timestamp, _ json: inout JSONCursor
    ) {
        if let deviceAt = raw.fix.deviceAt {
            json.literal(",\"device_at\":")
            json.timestamp(deviceAt)
        }
        json.literal(",\"fixed_at\":")
        json.timestamp(fixedAt)
        json.literal(",\"received_at\":")
        json.timestamp(receivedAt)
        if let battery = raw.batteryPercent {
            json.literal(",\"battery_percent\":")
            json.integer(battery)
        }
        if let occupancy = raw.occupancyPercent {
            json.literal(",\"occupancy_percent\":")
            json.integer(occupancy)
        }
    }
}
