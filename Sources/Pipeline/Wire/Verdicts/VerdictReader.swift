import Bytes
import CSimdJSON
import Pipeline
import Tracking

/// Reads records of `driver.locations`; one per thread.
///
/// Allocates nothing once its buffers fit the records.
package final class VerdictReader {
    private let parser = JSONParser()
    private let verdict: UnsafeMutablePointer<sl_verdict>
    /// Whether the last record was in the very form that ``VerdictWriter`` gives it, and needed no general reader.
    private(set) var isWritten = false

    package init() {
        verdict = .allocate(capacity: 1)
        verdict.initialize(to: sl_verdict())
    }

    deinit { verdict.deallocate() }

    /// Reads one record; `nil` when it is not one that ``VerdictWriter`` could have written.
    ///
    /// A reason that is not known (of a newer writer) is left out.
    package func read(_ value: ByteSlice) -> VerdictRecord? {
        guard let start = value.start?.assumingMemoryBound(to: UInt8.self), value.count > 0 else { return nil }
        isWritten = sl_read_written_verdict(parser.handle, start, value.count, verdict)
        guard isWritten || sl_read_verdict(parser.handle, start, value.count, verdict) == SL_OK else { return nil }
        guard has(SL_VERDICT_RAW_LATITUDE), has(SL_VERDICT_RAW_LONGITUDE), has(SL_VERDICT_FIXED_AT),
            has(SL_VERDICT_RECEIVED_AT),
            let event = EventID(ByteSlice(verdict.pointee.event_id)),
            let code = Verdict(ByteSlice(verdict.pointee.verdict)),
            event.origin == .raw, event.punctuation == 0, event.message == 0, verdict.pointee.driver_id.count > 0,
            isInRange
        else { return nil }
        var record = VerdictRecord(
            eventID: event, driverID: ByteSlice(verdict.pointee.driver_id),
            sessionID: ByteSlice(verdict.pointee.session_id), tripID: ByteSlice(verdict.pointee.trip_id),
            verdict: code, reasons: reasons(), risk: verdict.pointee.risk, raw: raw(),
            fixedAt: Timestamp(milliseconds: verdict.pointee.fixed_ms),
            receivedAt: Timestamp(milliseconds: verdict.pointee.received_ms))
        if has(SL_VERDICT_SEQUENCE) { record.sequence = verdict.pointee.sequence }
        if has(SL_VERDICT_DEVICE_AT) { record.deviceAt = Timestamp(milliseconds: verdict.pointee.device_ms) }
        if has(SL_VERDICT_BATTERY) { record.batteryPercent = Int(verdict.pointee.battery_percent) }
        if has(SL_VERDICT_OCCUPANCY) { record.occupancyPercent = Int(verdict.pointee.occupancy_percent) }
        if code == .accepted {
            guard let estimate = estimate() else { return nil }
            record.estimate = estimate
        }
        return record
    }

    /// Whether what the stages behind calculate with is what it says it is.
    private var isInRange: Bool {
        (0...1).contains(verdict.pointee.risk) && abs(verdict.pointee.raw_latitude) <= 90
            && abs(verdict.pointee.raw_longitude) <= 180
    }

    @inline(__always)
    private func has(_ bit: Int) -> Bool { verdict.pointee.present & UInt32(bit) != 0 }

    private func reasons() -> Reasons {
        // `[]` would go through the generic initializer of sets, which is not specialised across modules.
        var reasons = Reasons(rawValue: 0)
        guard verdict.pointee.reason_count > 0 else { return reasons }
        withUnsafeBytes(of: &verdict.pointee.reasons) { buffer in
            for text in buffer.bindMemory(to: sl_text.self).prefix(verdict.pointee.reason_count) {
                let code = ByteSlice(text)
                for (known, reason) in Reasons.all where code == known {
                    reasons = Reasons(rawValue: reasons.rawValue | reason.rawValue)
                }
            }
        }
        return reasons
    }

    private func raw() -> VerdictRecord.Raw {
        var raw = VerdictRecord.Raw(
            coordinate: Coordinate(latitude: verdict.pointee.raw_latitude, longitude: verdict.pointee.raw_longitude))
        if has(SL_VERDICT_RAW_ACCURACY) { raw.accuracyMeters = verdict.pointee.raw_accuracy_meters }
        if has(SL_VERDICT_RAW_HEADING) { raw.headingDegrees = verdict.pointee.raw_heading }
        if has(SL_VERDICT_RAW_SPEED) { raw.speedMetersPerSecond = verdict.pointee.raw_speed_mps }
        if has(SL_VERDICT_RAW_ALTITUDE) { raw.altitudeMeters = verdict.pointee.raw_altitude_meters }
        return raw
    }

    private func estimate() -> Estimate? {
        guard has(SL_VERDICT_ESTIMATE_LATITUDE), has(SL_VERDICT_ESTIMATE_LONGITUDE), has(SL_VERDICT_SPEED),
            has(SL_VERDICT_ACCURACY), abs(verdict.pointee.latitude) <= 90, abs(verdict.pointee.longitude) <= 180,
            verdict.pointee.speed_mps >= 0, verdict.pointee.accuracy_meters >= 0,
            !has(SL_VERDICT_HEADING) || (verdict.pointee.heading >= 0 && verdict.pointee.heading < 360),
            let confidence = Confidence(ByteSlice(verdict.pointee.confidence))
        else { return nil }
        return Estimate(
            coordinate: Coordinate(latitude: verdict.pointee.latitude, longitude: verdict.pointee.longitude),
            headingDegrees: has(SL_VERDICT_HEADING) ? verdict.pointee.heading : nil,
            speedMetersPerSecond: verdict.pointee.speed_mps, accuracyMeters: verdict.pointee.accuracy_meters,
            confidence: confidence, isHalted: verdict.pointee.is_halted)
    }
}
