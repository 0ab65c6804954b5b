import ArgumentParser
import Postgres

/// `sightline history warnings`: what drivers were warned about.
struct HistoryWarnings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warnings", abstract: "Warnings of a period by code and action.")

    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func validate() throws { try format.requireNoPositions() }

    func run() throws {
        let connection = try postgres.connectToHistory()
        let bounds = try period.bounds(connection)
        try format.write("SELECT * FROM warning_summary($1, $2)", [bounds.from, bounds.to], over: connection)
    }
}
