import ArgumentParser

/// `sightline history driver-track`: where a driver was during a period.
struct HistoryDriverTrack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver-track", abstract: "Where a driver was during a period, fix by fix.")

    @Argument(help: "The driver.") var driver: String
    @Flag(help: "Also what was not believed, as the device reported it.") var allVerdicts = false
    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func run() throws {
        let connection = try postgres.connectToHistory()
        let bounds = try period.bounds(connection)
        let kind = allVerdicts ? "fix" : "judged fix"
        try format.write(
            "SELECT * FROM driver_track($1, $2, $3, $4)",
            [.text(driver), bounds.from, bounds.to, .boolean(allVerdicts)], over: connection,
            AnswerText(row: .fix, nothing: bounds.nothing("No \(kind) of driver \(AnswerText.id(driver)) was taken")))
    }
}
