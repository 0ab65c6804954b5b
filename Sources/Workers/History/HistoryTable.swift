/// Tables that the sink writes, in the order of writing; a common order prevents deadlocks between writers.
enum HistoryTable: String, CaseIterable {
    case locations = "location_history"
    case smoothed = "smoothed_locations"
    case warnings = "location_warnings"
    case tripEvents = "trip_events"
    case etas = "eta_history"
    case tripWarnings = "trip_warnings"

    /// In the order in which ``CopyBuffer`` rows are written; columns added later by a migration stay null.
    var columns: [String] { columnNames.split(separator: " ").map(String.init) }

    private var columnNames: String {
        switch self {
        case .locations:
            """
            received_at fixed_at device_at event_offset event_part sequence latitude longitude raw_latitude \
            raw_longitude kafka_partition verdict confidence heading speed_mps accuracy_meters raw_heading \
            raw_speed_mps raw_accuracy_meters risk is_halted driver_id trip_id session_id reasons \
            raw_altitude_meters raw_altitude_accuracy_meters raw_heading_accuracy_degrees raw_speed_accuracy_mps \
            battery_percent is_charging network_type motion_activity source is_mock integrity risk_signals
            """
        case .smoothed:
            """
            received_at fixed_at event_offset event_part latitude longitude kafka_partition heading speed_mps \
            accuracy_meters driver_id
            """
        case .warnings:
            """
            received_at event_offset event_part kafka_partition risk distance_meters seconds speed_mps \
            accuracy_meters fixes driver_id warning_code action message
            """
        case .tripEvents:
            """
            computed_at changed_at event_offset event_part version latitude longitude driven_meters planned_meters \
            kafka_partition event_is_trip is_long_route trip_id driver_id rider_id kind route_id state \
            previous_state triggered_by route_polyline context snapped_meters is_distance_inflated stage facts
            """
        case .etas:
            """
            computed_at arrives_at scheduled_at event_offset event_part distance_meters kafka_partition stop_index \
            seconds min_seconds max_seconds delay_seconds confidence event_is_trip is_passed trip_id driver_id \
            stop_id stop_kind
            """
        case .tripWarnings:
            """
            received_at began_at ended_at event_offset event_part latitude longitude greatest_meters kafka_partition \
            event_is_trip is_resolved trip_id driver_id warning_code ended_by message
            """
        }
    }

    var copyStatement: String {
        "COPY \(rawValue) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }
}
