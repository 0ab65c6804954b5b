import Codec
import Domain
import Postgres
import Support

/// Rows of the history tables, with fields in the order of ``HistoryTable/columns``.
extension CopyBuffer {
    mutating func appendLocation(_ record: borrowing VerdictRecord, event: EventID) {
        beginRow(fieldCount: 37)
        append(timestampMilliseconds: record.receivedAt.milliseconds)
        append(timestampMilliseconds: record.fixedAt.milliseconds)
        append(timestampMilliseconds: record.deviceAt?.milliseconds)
        append(event)
        append(record.sequence)
        append(record.estimate?.coordinate.latitude)
        append(record.estimate?.coordinate.longitude)
        append(record.raw.coordinate.latitude)
        append(record.raw.coordinate.longitude)
        append(event.partition)
        append(record.verdict.code)
        append(code: record.estimate?.confidence.code)
        append(real: record.estimate?.headingDegrees)
        append(real: record.estimate?.speedMetersPerSecond)
        append(real: record.estimate?.accuracyMeters)
        append(real: record.raw.headingDegrees)
        append(real: record.raw.speedMetersPerSecond)
        append(real: record.raw.accuracyMeters)
        append(real: record.risk)
        append(record.estimate?.isHalted)
        append(text: record.driverID.buffer)
        appendUnlessEmpty(record.tripID)
        appendUnlessEmpty(record.sessionID)
        append(record.reasons)
        appendReport(of: record)
        append(record.riskSignals)
    }

    /// Appends the device's fields that are not part of a fix.
    private mutating func appendReport(of record: borrowing VerdictRecord) {
        append(real: record.raw.altitudeMeters)
        append(real: record.report.altitudeAccuracyMeters)
        append(real: record.report.headingAccuracyDegrees)
        append(real: record.report.speedAccuracyMetersPerSecond)
        append(record.batteryPercent.map { Int16(clamping: $0) })
        append(record.report.isCharging)
        append(code: record.report.networkType?.code)
        append(code: record.report.motionActivity?.code)
        append(code: record.raw.source?.code)
        append(record.report.isMock)
        append(code: record.raw.integrity?.code)
    }

    mutating func appendSmoothed(_ fix: SmoothedFix, of driver: ByteSlice, _ label: SmoothedLabel) {
        beginRow(fieldCount: 11)
        append(timestampMilliseconds: label.receivedAt.milliseconds)
        append(timestampMilliseconds: label.fixedAt.milliseconds)
        append(label.event)
        append(fix.coordinate.latitude)
        append(fix.coordinate.longitude)
        append(label.event.partition)
        append(real: fix.headingDegrees)
        append(real: fix.speedMetersPerSecond)
        append(real: fix.accuracyMeters)
        append(text: driver.buffer)
    }

    mutating func appendWarning(_ record: WarningRecord, event: EventID) {
        beginRow(fieldCount: 14)
        append(timestampMilliseconds: record.at.milliseconds)
        append(event)
        append(event.partition)
        append(real: record.risk)
        append(record.warning.evidence.distanceMeters)
        append(record.warning.evidence.seconds)
        append(record.warning.evidence.speedMetersPerSecond)
        append(record.warning.evidence.accuracyMeters)
        append(record.warning.evidence.fixes.map { Int32(clamping: $0) })
        append(text: record.driverID.buffer)
        append(Self.code(of: record.warning.reason))
        append(record.warning.action.code)
        append(text: record.message.buffer)
    }

    mutating func appendTripEvent(_ eta: TripEta, _ change: TripEta.Change, event: EventID) {
        beginRow(fieldCount: 26)
        append(timestampMilliseconds: eta.computedAt.milliseconds)
        append(timestampMilliseconds: change.changedAt.milliseconds)
        append(event)
        append(eta.version)
        append(eta.position?.coordinate.latitude)
        append(eta.position?.coordinate.longitude)
        append(eta.drivenMeters)
        append(eta.plannedMeters)
        append(event.partition)
        append(event.origin == .trips)
        append(eta.fareChecks.contains(.longRoute))
        append(eta.tripID)
        append(eta.driverID)
        append(eta.riderID)
        append(eta.kind == .ride ? "ride" : "transit")
        append(eta.routeID)
        append(eta.state.code)
        append(code: change.previousState?.code)
        append(change.triggeredBy)
        append(change.routePolyline)
        append(change.contextJSON)
        append(eta.snappedMeters)
        append(eta.fareChecks.contains(.distanceInflation))
        append(code: eta.stage?.code)
        append(change.factsJSON)
    }

    mutating func appendTripWarning(_ record: TripWarningRecord, event: EventID) {
        let warning = record.warning
        beginRow(fieldCount: 16)
        append(timestampMilliseconds: record.at.milliseconds)
        append(timestampMilliseconds: warning.beganAt.milliseconds)
        append(timestampMilliseconds: warning.endedAt?.milliseconds)
        append(event)
        append(warning.coordinate?.latitude)
        append(warning.coordinate?.longitude)
        append(warning.greatestMeters)
        append(event.partition)
        append(event.origin == .trips)
        append(warning.endedAt != nil)
        append(text: record.tripID.buffer)
        append(text: record.driverID.buffer)
        append(warning.code.code)
        append(code: warning.ending?.code)
        append(text: record.message.buffer)
    }

    mutating func appendEta(_ eta: TripEta, _ stop: TripEta.Stop, index: Int, arrivesAt: Timestamp, event: EventID) {
        beginRow(fieldCount: 19)
        append(timestampMilliseconds: eta.computedAt.milliseconds)
        append(timestampMilliseconds: arrivesAt.milliseconds)
        append(timestampMilliseconds: stop.scheduledAt?.milliseconds)
        append(event)
        append(real: stop.distanceMeters)
        append(event.partition)
        append(Int32(clamping: index))
        append(stop.status == .passed ? nil : stop.seconds.map { Int32(clamping: $0) })
        append(stop.minSeconds.map { Int32(clamping: $0) })
        append(stop.maxSeconds.map { Int32(clamping: $0) })
        append(stop.delaySeconds.map { Int32(clamping: $0) })
        append(code: stop.confidence?.code)
        append(event.origin == .trips)
        append(stop.status == .passed)
        append(eta.tripID)
        append(eta.driverID)
        append(stop.id)
        append(Self.code(of: stop.kind))
    }

    /// Appends the fields `event_offset` and `event_part`.
    private mutating func append(_ event: EventID) {
        append(event.offset)
        append(Int64(bitPattern: event.part))
    }

    private mutating func append(_ value: Bool?) {
        if let value { append(value) } else { appendNull() }
    }

    private mutating func append(code: StaticString?) {
        if let code { append(code) } else { appendNull() }
    }

    private mutating func appendUnlessEmpty(_ text: ByteSlice) {
        if text.isEmpty { appendNull() } else { append(text: text.buffer) }
    }

    /// Appends null for an empty set, because most fixes have no reasons and an empty array takes more bytes.
    private mutating func append(_ reasons: Reasons) {
        guard !reasons.isEmpty else { return appendNull() }
        appendTextArray(elementCount: reasons.rawValue.nonzeroBitCount) { buffer in
            for (code, reason) in Reasons.all where reasons.contains(reason) { buffer.append(code) }
        }
    }

    /// Appends null for an empty set.
    private mutating func append(_ signals: Signals) {
        guard !signals.isEmpty else { return appendNull() }
        appendTextArray(elementCount: signals.rawValue.nonzeroBitCount) { buffer in
            for (code, signal) in Signals.all where signals.contains(signal) { buffer.append(code) }
        }
    }

    private static func code(of reason: Reasons) -> StaticString {
        Reasons.all.first { $0.value == reason }?.code ?? "UNKNOWN"
    }

    private static func code(of kind: TripMessage.Stop.Kind) -> StaticString {
        switch kind {
        case .pickup: "pickup"
        case .dropoff: "dropoff"
        case .stop: "stop"
        }
    }
}
