import ArgumentParser
import Postgres
import Recordings
import Runtime

/// `sightline history trip-path`: the way a trip took.
struct HistoryTripPath: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip-path", abstract: "The way a trip took, position by position or as one GeoJSON line.",
        discussion: """
            A trip that the trip service has told of is found however old it is, and its path is that of its driver. Of any \
            other trip the fixes are taken that name it and were received in the period (--last, --from, --to; the last \
            24 h unless given); where several drivers name it, those of the driver with the most.
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
                AnswerText(row: .position, nothing: origin.nothing))
            if let note = origin.note { StandardError.write(note + "\n") }
            return
        }
        let feature = try connection.execute(
            """
            SELECT jsonb_build_object('type', 'Feature', 'geometry', p.path,
                'properties', jsonb_build_object('trip_id', $1::text)), p.path IS NULL
            FROM trip_path($1, $2, $3) AS p (path)
            """, parameters)
        if try feature.first?.boolean(1) != false {
            throw InputError("The trip has no path, for which two positions are needed. \(origin.nothing)")
        }
        let output = TextOutput()
        output.append((feature.first?.string(0) ?? "") + "\n")
        try output.flush()
        if let note = origin.note { StandardError.write(note + "\n") }
    }

    /// Where the positions come from: what is said beside them, and what where there are none.
    private func origin(
        _ period: Period, _ connection: PostgresConnection
    ) throws -> (note: String?, nothing: String) {
        let name = AnswerText.id(trip)
        let known = try connection.execute(
            "SELECT EXISTS (SELECT FROM trip_events WHERE trip_id = $1)", [.text(trip)])
        if try known.first?.boolean(0) == true {
            return (nil, "Trip \(name) is known, but the history has too few positions of its driver during it.")
        }
        let claims = try connection.execute(
            "SELECT driver_id, fixes FROM trip_drivers_by_fixes($1, $2, $3)", [.text(trip), period.from, period.to])
        guard let first = claims.first else {
            return (
                nil,
                period.nothing("No trip record of \(name) is in the history, and no fix names it that was received")
            )
        }
        let count = Noun.fix.count(Int(try first.integer(1)))
        var note =
            "There is no trip record of \(name): this is from \(count) of driver \(try first.text(0)) \(period.text)."
        if claims.rowCount > 1 {
            note += " \(Noun("other driver").count(claims.rowCount - 1)) named the trip, too."
        }
        return (note, note)
    }
}
