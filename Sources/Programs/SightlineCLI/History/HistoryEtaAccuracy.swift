import ArgumentParser
import Postgres

/// `sightline history eta-accuracy`: how good the promises were.
struct HistoryEtaAccuracy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta-accuracy", abstract: "How good the promised arrivals of a period were, by horizon.")

    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func validate() throws { try format.requireNoPositions() }

    func run() throws {
        let connection = try postgres.connectToHistory()
        let bounds = try period.bounds(connection)
        try format.write("SELECT * FROM eta_accuracy($1, $2)", [bounds.from, bounds.to], over: connection)
    }
}
