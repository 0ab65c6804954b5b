import ArgumentParser

/// `sightline history export`: streams the rows of a period.
struct HistoryExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the rows of a period to standard output, in constant memory.",
        discussion: """
            With --format gpx, --driver or --trip, rows are ordered by driver and time, otherwise by storage, which is \
            roughly the order of receipt. Positions of locations are smoothed with later fixes where available \
            (is_smoothed).
            """)

    @Argument(help: "The table to export.") var table = ExportTable.locations
    @Option(help: "Only this driver.") var driver: String?
    @Option(help: "Only this trip.") var trip: String?
    @Flag(help: "Only accepted locations.") var acceptedOnly = false
    @OptionGroup var period: PeriodOptions
    @Option(help: "Output format: csv, ndjson, json, geojson or gpx.") var format = HistoryFormat.csv
    @OptionGroup var postgres: PostgresOptions

    func validate() throws {
        if format == .table {
            throw ValidationError("export does not support --format table: use csv, ndjson, json, geojson or gpx.")
        }
        if format.needsPositions, !table.hasPositions {
            throw ValidationError("\(table.rawValue) have no positions: use csv, ndjson or json.")
        }
        if table == .warnings, trip != nil { throw ValidationError("Warnings have no trip id: omit --trip.") }
        if table != .locations, acceptedOnly {
            throw ValidationError("--accepted-only applies to locations only.")
        }
    }

    func run() throws {
        let connection = try postgres.connectToHistory()
        let bounds = try period.bounds(connection)
        try FormatOptions.parse(["--format", format.rawValue]).write(
            query, [bounds.from, bounds.to, .optional(driver), .optional(trip)], over: connection,
            ResultText(empty: bounds.empty("No such row was received")))
    }

    /// The statement; `$1` and `$2` are the period, `$3` the driver, `$4` the trip.
    private var query: String {
        var conditions = ["t.\(table.timeColumn) >= $1::timestamptz", "t.\(table.timeColumn) < $2::timestamptz"]
        // An unused parameter still needs a type for Postgres.
        conditions.append(driver == nil ? "$3::text IS NULL" : "t.driver_id = $3")
        conditions.append(trip == nil ? "$4::text IS NULL" : "t.trip_id = $4")
        if table == .locations {
            if acceptedOnly { conditions.append("t.verdict = 'accepted'") }
            if format == .gpx { conditions.append("t.latitude IS NOT NULL") }
        }
        let order =
            format == .gpx || driver != nil || trip != nil ? " ORDER BY t.driver_id, t.\(table.orderColumn)" : ""
        return
            "SELECT \(table.columns) FROM \(table.source) WHERE \(conditions.joined(separator: " AND "))\(order)"
    }
}

enum ExportTable: String, CaseIterable, ExpressibleByArgument {
    case locations
    case warnings
    case tripEvents = "trip-events"
    case etas

    /// The FROM clause, with the table as `t` and the period between `$1` and `$2`.
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

    /// The column by which the table is partitioned, and to which the period applies.
    var timeColumn: String {
        switch self {
        case .locations, .warnings: "received_at"
        case .tripEvents, .etas: "computed_at"
        }
    }

    /// The column that orders the rows of a driver.
    var orderColumn: String { self == .locations ? "fixed_at" : timeColumn }

    var hasPositions: Bool { self == .locations || self == .tripEvents }

    /// The SELECT list; event ids are text.
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
