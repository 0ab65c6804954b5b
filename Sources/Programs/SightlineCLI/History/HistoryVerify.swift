import ArgumentParser
import Postgres

/// `sightline history verify`: proves that nothing was written twice.
struct HistoryVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Count events that were written twice; exits with 1 when there are any.")

    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func validate() throws { try format.requireNoPositions() }

    func run() throws {
        let connection = try postgres.connectToHistory()
        let bounds = try period.bounds(connection)
        try format.write("SELECT * FROM history_duplicates($1, $2)", [bounds.from, bounds.to], over: connection)
        let doubled = try connection.execute(
            "SELECT coalesce(sum(doubled), 0)::bigint FROM history_duplicates($1, $2)", [bounds.from, bounds.to])
        if try doubled.first?.integer(0) != 0 { throw ExitCode(1) }
    }
}
