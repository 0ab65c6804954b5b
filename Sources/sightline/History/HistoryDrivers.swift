import ArgumentParser

/// `sightline history driver-track`: lists the positions of a driver.
struct HistoryDriverTrack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver-track", abstract: "List the positions of a driver during a period, fix by fix.")

    @Argument(help: "The driver.") var driver: String
    @Flag(help: "Include fixes without a smoothed position, as the device reported them.") var allVerdicts = false
    @OptionGroup var query: PeriodQuery

    func run() throws {
        let kind = allVerdicts ? "fix" : "smoothed position"
        try query.run(
            "driver_track", ResultText(row: "fix", rows: "fixes"),
            empty: "No \(kind) of driver \(ResultText.id(driver))",
            hasPositions: true
        ) { [.text(driver), $0.from, $0.to, .boolean(allVerdicts)] }
    }
}

/// `sightline history position-at`: interpolates the position of a driver.
struct HistoryPositionAt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "position-at", abstract: "Show the position of a driver at one time, interpolated between fixes.")

    @Argument(help: "The driver.") var driver: String
    @Argument(help: "The time, such as 2025-03-14T18:32:15Z.") var time: String
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func run() throws {
        try format.write(
            "SELECT * FROM driver_position_at($1, $2)", [.text(driver), .text(time)],
            over: try postgres.connectToHistory(),
            ResultText(
                row: "position",
                empty: "Driver \(ResultText.id(driver)) has no smoothed position in the 24 hours before that time; "
                    + "`sightline history driver-track` lists the fixes of any period."))
    }
}

/// `sightline history near`: lists the drivers near a place.
struct HistoryNear: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "near", abstract: "List the drivers that were within a distance of a place during a period.")

    @Option(parsing: .unconditional, help: "Latitude in degrees.") var latitude: Double
    @Option(parsing: .unconditional, help: "Longitude in degrees.") var longitude: Double
    @Option(help: "Distance in metres.") var radius = 200.0
    @OptionGroup var query: PeriodQuery

    func validate() throws {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            throw ValidationError("--latitude must be -90 to 90 and --longitude -180 to 180.")
        }
        guard radius > 0, radius <= 1_000_000 else {
            throw ValidationError("--radius must be above 0 and at most 1000000 m.")
        }
    }

    func run() throws {
        try query.run(
            "drivers_near", ResultText(row: "driver"), empty: "No driver was within \(Int(radius)) m of the place"
        ) { [.double(latitude), .double(longitude), .double(radius), $0.from, $0.to] }
    }
}
