import Codec
import Domain
import Postgres
import Support

/// The tables that the sink writes: one line per column, in the order of the schema.
///
/// Tables are written in the order of ``names``; a common order prevents deadlocks between writers.
enum HistoryTables {
    static let names = [
        locations.name, smoothed.name, warnings.name, tripEvents.name, etas.name, tripWarnings.name,
    ]

    typealias LocationRow = (record: VerdictRecord, event: EventID)
    typealias SmoothedRow = (fix: SmoothedFix, driver: ByteSlice, label: SmoothedLabel)
    typealias WarningRow = (record: WarningRecord, event: EventID)
    typealias TripEventRow = (eta: TripEta, change: TripEta.Change, event: EventID)
    typealias EtaRow = (eta: TripEta, stop: TripEta.Stop, index: Int, arrivesAt: Timestamp, event: EventID)
    typealias TripWarningRow = (record: TripWarningRecord, event: EventID)

    static let locations = HistoryTable<LocationRow>(
        "location_history",
        [
            ("received_at", { $0.append(timestamp: $1.record.receivedAt) }),
            ("fixed_at", { $0.append(timestamp: $1.record.fixedAt) }),
            ("device_at", { $0.append(timestamp: $1.record.deviceAt) }),
            ("event_offset", { $0.append(bigint: $1.event.offset) }),
            ("event_part", { $0.append(bigint: Int64(bitPattern: $1.event.part)) }),
            ("sequence", { $0.append(bigint: $1.record.sequence) }),
            ("latitude", { $0.append(double: $1.record.estimate?.coordinate.latitude) }),
            ("longitude", { $0.append(double: $1.record.estimate?.coordinate.longitude) }),
            ("raw_latitude", { $0.append(double: $1.record.raw.coordinate.latitude) }),
            ("raw_longitude", { $0.append(double: $1.record.raw.coordinate.longitude) }),
            ("kafka_partition", { $0.append(integer: Int($1.event.partition)) }),
            ("verdict", { $0.append(code: $1.record.verdict.code) }),
            ("confidence", { $0.append(code: $1.record.estimate?.confidence.code) }),
            ("heading", { $0.append(real: $1.record.estimate?.headingDegrees) }),
            ("speed_mps", { $0.append(real: $1.record.estimate?.speedMetersPerSecond) }),
            ("accuracy_meters", { $0.append(real: $1.record.estimate?.accuracyMeters) }),
            ("raw_heading", { $0.append(real: $1.record.raw.headingDegrees) }),
            ("raw_speed_mps", { $0.append(real: $1.record.raw.speedMetersPerSecond) }),
            ("raw_accuracy_meters", { $0.append(real: $1.record.raw.accuracyMeters) }),
            ("risk", { $0.append(real: $1.record.risk) }),
            ("is_halted", { $0.append(boolean: $1.record.estimate?.isHalted) }),
            ("driver_id", { $0.append(text: $1.record.driverID) }),
            ("trip_id", { $0.append(textOrNull: $1.record.tripID) }),
            ("session_id", { $0.append(textOrNull: $1.record.sessionID) }),
            ("reasons", { $0.append(codes: $1.record.reasons, of: Reasons.all) }),
            ("raw_altitude_meters", { $0.append(real: $1.record.raw.altitudeMeters) }),
            ("raw_altitude_accuracy_meters", { $0.append(real: $1.record.report.altitudeAccuracyMeters) }),
            ("raw_heading_accuracy_degrees", { $0.append(real: $1.record.report.headingAccuracyDegrees) }),
            ("raw_speed_accuracy_mps", { $0.append(real: $1.record.report.speedAccuracyMetersPerSecond) }),
            ("battery_percent", { $0.append(smallint: $1.record.batteryPercent) }),
            ("is_charging", { $0.append(boolean: $1.record.report.isCharging) }),
            ("network_type", { $0.append(code: $1.record.report.networkType?.code) }),
            ("motion_activity", { $0.append(code: $1.record.report.motionActivity?.code) }),
            ("source", { $0.append(code: $1.record.raw.source?.code) }),
            ("is_mock", { $0.append(boolean: $1.record.report.isMock) }),
            ("integrity", { $0.append(code: $1.record.raw.integrity?.code) }),
            ("risk_signals", { $0.append(codes: $1.record.riskSignals, of: Signals.all) }),
        ])

    static let smoothed = HistoryTable<SmoothedRow>(
        "smoothed_locations",
        [
            ("received_at", { $0.append(timestamp: $1.label.receivedAt) }),
            ("fixed_at", { $0.append(timestamp: $1.label.fixedAt) }),
            ("event_offset", { $0.append(bigint: $1.label.event.offset) }),
            ("event_part", { $0.append(bigint: Int64(bitPattern: $1.label.event.part)) }),
            ("latitude", { $0.append(double: $1.fix.coordinate.latitude) }),
            ("longitude", { $0.append(double: $1.fix.coordinate.longitude) }),
            ("kafka_partition", { $0.append(integer: Int($1.label.event.partition)) }),
            ("heading", { $0.append(real: $1.fix.headingDegrees) }),
            ("speed_mps", { $0.append(real: $1.fix.speedMetersPerSecond) }),
            ("accuracy_meters", { $0.append(real: $1.fix.accuracyMeters) }),
            ("driver_id", { $0.append(text: $1.driver) }),
        ])

    static let warnings = HistoryTable<WarningRow>(
        "location_warnings",
        [
            ("received_at", { $0.append(timestamp: $1.record.at) }),
            ("event_offset", { $0.append(bigint: $1.event.offset) }),
            ("event_part", { $0.append(bigint: Int64(bitPattern: $1.event.part)) }),
            ("kafka_partition", { $0.append(integer: Int($1.event.partition)) }),
            ("risk", { $0.append(real: $1.record.risk) }),
            ("distance_meters", { $0.append(double: $1.record.warning.evidence.distanceMeters) }),
            ("seconds", { $0.append(double: $1.record.warning.evidence.seconds) }),
            ("speed_mps", { $0.append(double: $1.record.warning.evidence.speedMetersPerSecond) }),
            ("accuracy_meters", { $0.append(double: $1.record.warning.evidence.accuracyMeters) }),
            ("fixes", { $0.append(integer: $1.record.warning.evidence.fixes) }),
            ("driver_id", { $0.append(text: $1.record.driverID) }),
            ("warning_code", { $0.append(code: code(of: $1.record.warning.reason)) }),
            ("action", { $0.append(code: $1.record.warning.action.code) }),
            ("message", { $0.append(text: $1.record.message) }),
        ])

    static let tripEvents = HistoryTable<TripEventRow>(
        "trip_events",
        [
            ("computed_at", { $0.append(timestamp: $1.eta.computedAt) }),
            ("changed_at", { $0.append(timestamp: $1.change.changedAt) }),
            ("event_offset", { $0.append(bigint: $1.event.offset) }),
            ("event_part", { $0.append(bigint: Int64(bitPattern: $1.event.part)) }),
            ("version", { $0.append(bigint: $1.eta.version) }),
            ("latitude", { $0.append(double: $1.eta.position?.coordinate.latitude) }),
            ("longitude", { $0.append(double: $1.eta.position?.coordinate.longitude) }),
            ("driven_meters", { $0.append(double: $1.eta.drivenMeters) }),
            ("planned_meters", { $0.append(double: $1.eta.plannedMeters) }),
            ("kafka_partition", { $0.append(integer: Int($1.event.partition)) }),
            ("event_is_trip", { $0.append(boolean: $1.event.origin == .trips) }),
            ("is_long_route", { $0.append(boolean: $1.eta.fareChecks.contains(.longRoute)) }),
            ("trip_id", { $0.append(string: $1.eta.tripID) }),
            ("driver_id", { $0.append(string: $1.eta.driverID) }),
            ("rider_id", { $0.append(string: $1.eta.riderID) }),
            ("kind", { $0.append(code: $1.eta.kind == .ride ? "ride" : "transit") }),
            ("route_id", { $0.append(string: $1.eta.routeID) }),
            ("state", { $0.append(code: $1.eta.state.code) }),
            ("previous_state", { $0.append(code: $1.change.previousState?.code) }),
            ("triggered_by", { $0.append(string: $1.change.triggeredBy) }),
            ("route_polyline", { $0.append(string: $1.change.routePolyline) }),
            ("context", { $0.append(string: $1.change.contextJSON) }),
            ("snapped_meters", { $0.append(double: $1.eta.snappedMeters) }),
            ("is_distance_inflated", { $0.append(boolean: $1.eta.fareChecks.contains(.distanceInflation)) }),
            ("stage", { $0.append(code: $1.eta.stage?.code) }),
            ("facts", { $0.append(string: $1.change.factsJSON) }),
        ])

    static let etas = HistoryTable<EtaRow>(
        "eta_history",
        [
            ("computed_at", { $0.append(timestamp: $1.eta.computedAt) }),
            ("arrives_at", { $0.append(timestamp: $1.arrivesAt) }),
            ("scheduled_at", { $0.append(timestamp: $1.stop.scheduledAt) }),
            ("event_offset", { $0.append(bigint: $1.event.offset) }),
            ("event_part", { $0.append(bigint: Int64(bitPattern: $1.event.part)) }),
            ("distance_meters", { $0.append(real: $1.stop.distanceMeters) }),
            ("kafka_partition", { $0.append(integer: Int($1.event.partition)) }),
            ("stop_index", { $0.append(integer: $1.index) }),
            ("seconds", { $0.append(integer: $1.stop.status == .passed ? nil : $1.stop.seconds) }),
            ("min_seconds", { $0.append(integer: $1.stop.minSeconds) }),
            ("max_seconds", { $0.append(integer: $1.stop.maxSeconds) }),
            ("delay_seconds", { $0.append(integer: $1.stop.delaySeconds) }),
            ("confidence", { $0.append(code: $1.stop.confidence?.code) }),
            ("event_is_trip", { $0.append(boolean: $1.event.origin == .trips) }),
            ("is_passed", { $0.append(boolean: $1.stop.status == .passed) }),
            ("trip_id", { $0.append(string: $1.eta.tripID) }),
            ("driver_id", { $0.append(string: $1.eta.driverID) }),
            ("stop_id", { $0.append(string: $1.stop.id) }),
            ("stop_kind", { $0.append(code: code(of: $1.stop.kind)) }),
        ])

    static let tripWarnings = HistoryTable<TripWarningRow>(
        "trip_warnings",
        [
            ("received_at", { $0.append(timestamp: $1.record.at) }),
            ("began_at", { $0.append(timestamp: $1.record.warning.beganAt) }),
            ("ended_at", { $0.append(timestamp: $1.record.warning.endedAt) }),
            ("event_offset", { $0.append(bigint: $1.event.offset) }),
            ("event_part", { $0.append(bigint: Int64(bitPattern: $1.event.part)) }),
            ("latitude", { $0.append(double: $1.record.warning.coordinate?.latitude) }),
            ("longitude", { $0.append(double: $1.record.warning.coordinate?.longitude) }),
            ("greatest_meters", { $0.append(double: $1.record.warning.greatestMeters) }),
            ("kafka_partition", { $0.append(integer: Int($1.event.partition)) }),
            ("event_is_trip", { $0.append(boolean: $1.event.origin == .trips) }),
            ("is_resolved", { $0.append(boolean: $1.record.warning.endedAt != nil) }),
            ("trip_id", { $0.append(text: $1.record.tripID) }),
            ("driver_id", { $0.append(text: $1.record.driverID) }),
            ("warning_code", { $0.append(code: $1.record.warning.code.code) }),
            ("ended_by", { $0.append(code: $1.record.warning.ending?.code) }),
            ("message", { $0.append(text: $1.record.message) }),
        ])

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
