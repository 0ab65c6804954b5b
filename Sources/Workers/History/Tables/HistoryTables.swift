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
            .timestamp("received_at") { $0.record.receivedAt },
            .timestamp("fixed_at") { $0.record.fixedAt },
            .timestamp("device_at") { $0.record.deviceAt },
            .bigint("event_offset") { $0.event.offset },
            .bigint("event_part") { Int64(bitPattern: $0.event.part) },
            .bigint("sequence") { $0.record.sequence },
            .double("latitude") { $0.record.estimate?.coordinate.latitude },
            .double("longitude") { $0.record.estimate?.coordinate.longitude },
            .double("raw_latitude") { $0.record.raw.coordinate.latitude },
            .double("raw_longitude") { $0.record.raw.coordinate.longitude },
            .integer("kafka_partition") { Int($0.event.partition) },
            .code("verdict") { $0.record.verdict.code },
            .code("confidence") { $0.record.estimate?.confidence.code },
            .real("heading") { $0.record.estimate?.headingDegrees },
            .real("speed_mps") { $0.record.estimate?.speedMetersPerSecond },
            .real("accuracy_meters") { $0.record.estimate?.accuracyMeters },
            .real("raw_heading") { $0.record.raw.headingDegrees },
            .real("raw_speed_mps") { $0.record.raw.speedMetersPerSecond },
            .real("raw_accuracy_meters") { $0.record.raw.accuracyMeters },
            .real("risk") { $0.record.risk },
            .boolean("is_halted") { $0.record.estimate?.isHalted },
            .text("driver_id") { $0.record.driverID },
            .textOrNull("trip_id") { $0.record.tripID },
            .textOrNull("session_id") { $0.record.sessionID },
            .codes("reasons", of: Reasons.all) { $0.record.reasons },
            .real("raw_altitude_meters") { $0.record.raw.altitudeMeters },
            .real("raw_altitude_accuracy_meters") { $0.record.report.altitudeAccuracyMeters },
            .real("raw_heading_accuracy_degrees") { $0.record.report.headingAccuracyDegrees },
            .real("raw_speed_accuracy_mps") { $0.record.report.speedAccuracyMetersPerSecond },
            .smallint("battery_percent") { $0.record.batteryPercent },
            .boolean("is_charging") { $0.record.report.isCharging },
            .code("network_type") { $0.record.report.networkType?.code },
            .code("motion_activity") { $0.record.report.motionActivity?.code },
            .code("source") { $0.record.raw.source?.code },
            .boolean("is_mock") { $0.record.report.isMock },
            .code("integrity") { $0.record.raw.integrity?.code },
            .codes("risk_signals", of: Signals.all) { $0.record.riskSignals },
        ])

    static let smoothed = HistoryTable<SmoothedRow>(
        "smoothed_locations",
        [
            .timestamp("received_at") { $0.label.receivedAt },
            .timestamp("fixed_at") { $0.label.fixedAt },
            .bigint("event_offset") { $0.label.event.offset },
            .bigint("event_part") { Int64(bitPattern: $0.label.event.part) },
            .double("latitude") { $0.fix.coordinate.latitude },
            .double("longitude") { $0.fix.coordinate.longitude },
            .integer("kafka_partition") { Int($0.label.event.partition) },
            .real("heading") { $0.fix.headingDegrees },
            .real("speed_mps") { $0.fix.speedMetersPerSecond },
            .real("accuracy_meters") { $0.fix.accuracyMeters },
            .text("driver_id") { $0.driver },
        ])

    static let warnings = HistoryTable<WarningRow>(
        "location_warnings",
        [
            .timestamp("received_at") { $0.record.at },
            .bigint("event_offset") { $0.event.offset },
            .bigint("event_part") { Int64(bitPattern: $0.event.part) },
            .integer("kafka_partition") { Int($0.event.partition) },
            .real("risk") { $0.record.risk },
            .double("distance_meters") { $0.record.warning.evidence.distanceMeters },
            .double("seconds") { $0.record.warning.evidence.seconds },
            .double("speed_mps") { $0.record.warning.evidence.speedMetersPerSecond },
            .double("accuracy_meters") { $0.record.warning.evidence.accuracyMeters },
            .integer("fixes") { $0.record.warning.evidence.fixes },
            .text("driver_id") { $0.record.driverID },
            .code("warning_code") { code(of: $0.record.warning.reason) },
            .code("action") { $0.record.warning.action.code },
            .text("message") { $0.record.message },
        ])

    static let tripEvents = HistoryTable<TripEventRow>(
        "trip_events",
        [
            .timestamp("computed_at") { $0.eta.computedAt },
            .timestamp("changed_at") { $0.change.changedAt },
            .bigint("event_offset") { $0.event.offset },
            .bigint("event_part") { Int64(bitPattern: $0.event.part) },
            .bigint("version") { $0.eta.version },
            .double("latitude") { $0.eta.position?.coordinate.latitude },
            .double("longitude") { $0.eta.position?.coordinate.longitude },
            .double("driven_meters") { $0.eta.drivenMeters },
            .double("planned_meters") { $0.eta.plannedMeters },
            .integer("kafka_partition") { Int($0.event.partition) },
            .boolean("event_is_trip") { $0.event.origin == .trips },
            .boolean("is_long_route") { $0.eta.fareChecks.contains(.longRoute) },
            .string("trip_id") { $0.eta.tripID },
            .string("driver_id") { $0.eta.driverID },
            .string("rider_id") { $0.eta.riderID },
            .code("kind") { $0.eta.kind == .ride ? "ride" : "transit" },
            .string("route_id") { $0.eta.routeID },
            .code("state") { $0.eta.state.code },
            .code("previous_state") { $0.change.previousState?.code },
            .string("triggered_by") { $0.change.triggeredBy },
            .string("route_polyline") { $0.change.routePolyline },
            .string("context") { $0.change.contextJSON },
            .double("snapped_meters") { $0.eta.snappedMeters },
            .boolean("is_distance_inflated") { $0.eta.fareChecks.contains(.distanceInflation) },
            .code("stage") { $0.eta.stage?.code },
            .string("facts") { $0.change.factsJSON },
        ])

    static let etas = HistoryTable<EtaRow>(
        "eta_history",
        [
            .timestamp("computed_at") { $0.eta.computedAt },
            .timestamp("arrives_at") { $0.arrivesAt },
            .timestamp("scheduled_at") { $0.stop.scheduledAt },
            .bigint("event_offset") { $0.event.offset },
            .bigint("event_part") { Int64(bitPattern: $0.event.part) },
            .real("distance_meters") { $0.stop.distanceMeters },
            .integer("kafka_partition") { Int($0.event.partition) },
            .integer("stop_index") { $0.index },
            .integer("seconds") { $0.stop.status == .passed ? nil : $0.stop.seconds },
            .integer("min_seconds") { $0.stop.minSeconds },
            .integer("max_seconds") { $0.stop.maxSeconds },
            .integer("delay_seconds") { $0.stop.delaySeconds },
            .code("confidence") { $0.stop.confidence?.code },
            .boolean("event_is_trip") { $0.event.origin == .trips },
            .boolean("is_passed") { $0.stop.status == .passed },
            .string("trip_id") { $0.eta.tripID },
            .string("driver_id") { $0.eta.driverID },
            .string("stop_id") { $0.stop.id },
            .code("stop_kind") { code(of: $0.stop.kind) },
        ])

    static let tripWarnings = HistoryTable<TripWarningRow>(
        "trip_warnings",
        [
            .timestamp("received_at") { $0.record.at },
            .timestamp("began_at") { $0.record.warning.beganAt },
            .timestamp("ended_at") { $0.record.warning.endedAt },
            .bigint("event_offset") { $0.event.offset },
            .bigint("event_part") { Int64(bitPattern: $0.event.part) },
            .double("latitude") { $0.record.warning.coordinate?.latitude },
            .double("longitude") { $0.record.warning.coordinate?.longitude },
            .double("greatest_meters") { $0.record.warning.greatestMeters },
            .integer("kafka_partition") { Int($0.event.partition) },
            .boolean("event_is_trip") { $0.event.origin == .trips },
            .boolean("is_resolved") { $0.record.warning.endedAt != nil },
            .text("trip_id") { $0.record.tripID },
            .text("driver_id") { $0.record.driverID },
            .code("warning_code") { $0.record.warning.code.code },
            .code("ended_by") { $0.record.warning.ending?.code },
            .text("message") { $0.record.message },
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
