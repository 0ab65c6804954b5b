import ArgumentParser

/// `sightline history export`: rows of a period, streamed.
struct HistoryExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the rows of a period to standard output, in constant memory.",
        discussion: """
            Rows come in the order of storage, which is roughly that of receipt; GPX, and everything about one driver, \
            comes in the order of time. Positions of locations are smoothed with later fixes where those have come \
            (is_smoothed).
            """)

    @Argument(help: "What to export.") var table = ExportTable.locations
    @Option(help: "Only this driver.") var driver: String?
    @Option(help: "Only this trip.") var trip: String?
    @Flag(help: "Of locations, only those that were accepted.") var acceptedOnly = false
    @OptionGroup var period: PeriodOptions
    @Option(help: "How to write the rows: csv, ndjson, json, geojson or gpx.") var format = HistoryFormat.csv
    @OptionGroup var postgres: PostgresOptions

    func validate() throws {
        if format == .table { throw ValidationError("An export has no table format: use csv, ndjson, geojson or gpx.") }
        if format.needsPositions, !table.hasPositions {
            throw ValidationError("\(table.rawValue) have no positions to draw: use csv, ndjson or json.")
        }
        if table == .warnings, trip != nil { throw ValidationError("Warnings have no trip; omit --trip.") }
        if table != .locations, acceptedOnly {
            throw ValidationError("--accepted-only is for locations.")
        }
    }

    func run() throws {
        let connection = try postgres.connectToHistory()
        let bounds = try period.bounds(connection)
        let options = try FormatOptions.parse(["--format", format.rawValue])
        try options.write(
            question, [bounds.from, bounds.to, .optional(driver), .optional(trip)], over: connection,
            AnswerText(nothing: bounds.nothing("No such row was received")))
    }

    /// The statement; `$1` and `$2` are the period, `$3` the driver, `$4` the trip.
    private var question: String {
        var conditions = ["t.\(table.timeColumn) >= $1::timestamptz", "t.\(table.timeColumn) < $2::timestamptz"]
        // A condition that is not asked for must still name its parameter, or Postgres cannot tell the type.
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
