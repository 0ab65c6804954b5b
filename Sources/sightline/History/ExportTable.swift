import ArgumentParser

/// What can be exported, and under which column names.
enum ExportTable: String, CaseIterable, ExpressibleByArgument {
    case locations
    case warnings
    case tripEvents = "trip-events"
    case etas

    /// What is selected from: the table as `t`, of the period between `$1` and `$2`.
    var source: String {
        switch self {
        case .locations:
            """
            location_history t LEFT JOIN smoothed_locations s ON s.driver_id = t.driver_id AND s.fixed_at = t.fixed_at \
            AND s.received_at = t.received_at AND s.event_offset = t.event_offset AND s.event_part = t.event_part \
            AND s.kafka_partition = t.kafka_partition \
            AND s.received_at >= $1::timestamptz AND s.received_at < $2::timestamptz
            """
        case .warnings: "location_warnings t"
        case .tripEvents: "trip_events t"
        case .etas: "eta_history t"
        }
    }

    /// The column that the table is partitioned by, and that the period is about.
    var timeColumn: String {
        switch self {
        case .locations, .warnings: "received_at"
        case .tripEvents, .etas: "computed_at"
        }
    }

    /// The column that a driver's rows are in order of.
    var orderColumn: String { self == .locations ? "fixed_at" : timeColumn }

    var hasPositions: Bool { self == .locations || self == .tripEvents }

    /// The select list; the event id in its text form.
    var columns: String {
        switch self {
        case .locations:
            """
            event_id(false, t.kafka_partition, t.event_offset, t.event_part) AS event_id, t.driver_id, t.session_id, t.trip_id, \
            t.sequence, t.verdict, t.reasons, t.risk, t.risk_signals, t.fixed_at, t.received_at, t.device_at, \
            coalesce(s.latitude, t.latitude) AS latitude, coalesce(s.longitude, t.longitude) AS longitude, \
            coalesce(s.heading, t.heading) AS heading, coalesce(s.speed_mps, t.speed_mps) AS speed_mps, \
            coalesce(s.accuracy_meters, t.accuracy_meters) AS accuracy_meters, t.confidence, t.is_halted, t.raw_latitude, t.raw_longitude, \
            t.raw_heading, t.raw_speed_mps, t.raw_accuracy_meters, t.raw_altitude_meters, \
            t.raw_altitude_accuracy_meters, t.raw_heading_accuracy_degrees, t.raw_speed_accuracy_mps, \
            t.battery_percent, t.is_charging, t.network_type, t.motion_activity, t.source, t.is_mock, t.integrity, \
            s.driver_id IS NOT NULL AS is_smoothed
            """
        case .warnings:
            """
            event_id(false, t.kafka_partition, t.event_offset, t.event_part) AS event_id, t.driver_id, t.received_at, \
            t.warning_code, t.action, t.message, t.risk, t.distance_meters, t.seconds, t.speed_mps, t.accuracy_meters, \
            t.fixes
            """
        case .tripEvents:
            """
            event_id(t.event_is_trip, t.kafka_partition, t.event_offset, t.event_part) AS event_id, t.trip_id, t.driver_id, \
            t.rider_id, t.kind, t.route_id, t.previous_state, t.state, t.triggered_by, t.changed_at, t.computed_at, \
            t.version, t.latitude, t.longitude, t.driven_meters, t.snapped_meters, t.planned_meters, t.is_long_route, \
            t.is_distance_inflated, t.stage, t.context, t.facts
            """
        case .etas:
            """
            event_id(t.event_is_trip, t.kafka_partition, t.event_offset, t.event_part) AS event_id, t.trip_id, t.driver_id, \
            t.stop_index, t.stop_id, t.stop_kind, t.is_passed, t.computed_at, t.arrives_at, t.seconds, t.min_seconds, \
            t.max_seconds, t.confidence, t.distance_meters, t.scheduled_at, t.delay_seconds
            """
        }
    }
}
