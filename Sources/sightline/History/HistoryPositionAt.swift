import ArgumentParser

/// `sightline history position-at`: where a driver was at one moment.
struct HistoryPositionAt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "position-at", abstract: "Where a driver was at one moment, between the fixes around it.")

    @Argument(help: "The driver.") var driver: String
    @Argument(help: "The moment, such as 2025-03-14T18:32:15Z.") var time: String
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func run() throws {
        try format.write(
            "SELECT * FROM driver_position_at($1, $2)", [.text(driver), .text(time)],
            over: try postgres.connectToHistory(),
            AnswerText(
                row: .position,
                nothing: "Driver \(AnswerText.id(driver)) has no judged position in the 24 hours before that moment; "
                    + "`sightline history driver-track` shows the fixes of any period."))
    }
}
