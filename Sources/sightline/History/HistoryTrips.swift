import ArgumentParser
import Postgres
import Recordings
import Runtime

/// `sightline history trip-path`: lists the positions of a trip.
struct HistoryTripPath: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip-path", abstract: "List the positions of a trip, or print its path as a GeoJSON line.",
        discussion: """
            For a trip with records from the trip service, the path is that of its driver, and the period is ignored. \
            For any other trip, the path consists of the fixes with its id received in the period (--last, --from, --to; \
            24 h by default), of the driver with the most such fixes.
            """)

    @Argument(help: "The trip.") var trip: String
    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func run() throws {
        let connection = try postgres.connectToHistory()
        let bounds = try period.bounds(connection)
        let origin = try origin(bounds, connection)
        let parameters: [PostgresValue] = [.text(trip), bounds.from, bounds.to]
        guard format.format == .geojson else {
            try format.write(
                "SELECT * FROM trip_points($1, false, $2, $3)", parameters, over: connection,
                ResultText(row: "position", empty: origin.empty))
            if let notice = origin.notice { StandardError.write(notice + "\n") }
            return
        }
        let feature = try connection.execute(
            """
            SELECT jsonb_build_object('type', 'Feature', 'geometry', p.path,
                'properties', jsonb_build_object('trip_id', $1::text)), p.path IS NULL
            FROM trip_path($1, $2, $3) AS p (path)
            """, parameters)
        if try feature.first?.boolean(1) != false {
            throw InputError("The trip has no path: it needs at least two positions. \(origin.empty)")
        }
        let output = try TextOutput()
        output.append((feature.first?.string(0) ?? "") + "\n")
        try output.flush()
        if let notice = origin.notice { StandardError.write(notice + "\n") }
    }

    /// Returns a notice about the source of the positions, and the message for an empty result.
    private func origin(
        _ period: Period, _ connection: PostgresConnection
    ) throws -> (notice: String?, empty: String) {
        let name = ResultText.id(trip)
        let known = try connection.execute(
            "SELECT EXISTS (SELECT FROM trip_events WHERE trip_id = $1)", [.text(trip)])
        if try known.first?.boolean(0) == true {
            return (nil, "The history has too few positions of the driver during trip \(name).")
        }
        let claims = try connection.execute(
            "SELECT driver_id, fixes FROM trip_drivers_by_fixes($1, $2, $3)", [.text(trip), period.from, period.to])
        guard let first = claims.first else {
            return (
                nil,
                period.empty("There is no trip record of \(name), and no fix with its id was received")
            )
        }
        let count = pluralize(try first.integer(1), "fix", "fixes")
        var notice =
            "There is no trip record of \(name); the path is from \(count) of driver \(try first.text(0)) \(period.text)."
        if claims.rowCount > 1 {
            notice += " \(pluralize(claims.rowCount - 1, "other driver")) also sent its id."
        }
        return (notice, notice)
    }
}

/// `sightline history trip-distance`: compares the driven with the planned distance.
struct HistoryTripDistance: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip-distance",
        abstract: "Compare driven, planned and route distance of a trip, and show fare flags.")

    @Argument(help: "The trip.") var trip: String
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func validate() throws { try format.requireNoPositions() }

    func run() throws {
        try format.write(
            "SELECT * FROM trip_distance($1)", [.text(trip)], over: try postgres.connectToHistory(),
            ResultText(
                row: "trip",
                empty:
                    "There is no trip record of \(ResultText.id(trip)) in the history. `sightline history trip-path` "
                    + "shows fixes with its id."))
    }
}
