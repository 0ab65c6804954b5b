import Recordings
import ArgumentParser
import Postgres

/// `sightline history trip-path`: the way a trip took.
struct HistoryTripPath: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip-path", abstract: "The way a trip took, position by position or as one GeoJSON line.")

    @Argument(help: "The trip.") var trip: String
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func run() throws {
        let connection = try postgres.connectToHistory()
        guard format.format == .geojson else {
            try format.write("SELECT * FROM trip_points($1)", [.text(trip)], over: connection)
            return
        }
        let feature = try connection.execute(
            """
            SELECT jsonb_build_object('type', 'Feature', 'geometry', trip_path($1),
                'properties', jsonb_build_object('trip_id', $1::text)), trip_path($1) IS NULL
            """, [.text(trip)])
        if try feature.first?.boolean(1) != false {
            throw InputError("Trip \(trip) has no path: it is unknown, or has fewer than two positions.")
        }
        let output = TextOutput()
        output.append((feature.first?.string(0) ?? "") + "\n")
        try output.flush()
    }
}
