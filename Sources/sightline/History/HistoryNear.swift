import ArgumentParser

/// `sightline history near`: who was around a place.
struct HistoryNear: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "near", abstract: "Which drivers were within some distance of a place during a period.")

    @Option(parsing: .unconditional, help: "Latitude in degrees.") var latitude: Double
    @Option(parsing: .unconditional, help: "Longitude in degrees.") var longitude: Double
    @Option(help: "Distance in metres.") var radius = 200.0
    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func validate() throws {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            throw ValidationError("--latitude is -90 to 90 and --longitude -180 to 180.")
        }
        guard radius > 0, radius <= 1_000_000 else { throw ValidationError("--radius is above 0, up to 1000000 m.") }
        try format.requireNoPositions()
    }

    func run() throws {
        let connection = try postgres.connectToHistory()
        let bounds = try period.bounds(connection)
        try format.write(
            "SELECT * FROM drivers_near($1, $2, $3, $4, $5)",
            [.double(latitude), .double(longitude), .double(radius), bounds.from, bounds.to], over: connection,
            AnswerText(row: .driver, nothing: bounds.nothing("No driver was within \(Int(radius)) m of the place")))
    }
}
