import ArgumentParser
import Postgres

/// Options of a query about all drivers in a period.
struct PeriodQuery: ParsableArguments {
    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func validate() throws { try format.requireNoPositions() }

    /// Prints the rows that a function of the schema returns for the period.
    /// - Returns: the connection, and the bounds that were passed to the function.
    @discardableResult
    func run(
        _ function: String, row: String, rows: String? = nil
    ) throws -> (connection: PostgresConnection, bounds: [PostgresValue]) {
        let connection = try postgres.connectToHistory()
        let period = try period.bounds(connection)
        let bounds = [period.from, period.to]
        try format.write(
            "SELECT * FROM \(function)($1, $2)", bounds, over: connection,
            ResultText(row: row, rows: rows, empty: period.empty("There is nothing")))
        return (connection, bounds)
    }
}

/// `sightline history eta-accuracy`: evaluates predicted arrival times.
struct HistoryEtaAccuracy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta-accuracy", abstract: "Show the accuracy of the arrival times of a period, by horizon.")

    @OptionGroup var query: PeriodQuery

    func run() throws { try query.run("eta_accuracy", row: "horizon") }
}

/// `sightline history warnings`: counts warnings.
struct HistoryWarnings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warnings", abstract: "Count the warnings of a period by code and action.")

    @OptionGroup var query: PeriodQuery

    func run() throws { try query.run("warning_summary", row: "kind of warning", rows: "kinds of warnings") }
}

/// `sightline history verify`: counts duplicate rows.
struct HistoryVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Count events that were written twice; exits with 1 if there are any.")

    @OptionGroup var query: PeriodQuery

    func run() throws {
        let (connection, bounds) = try query.run("history_duplicates", row: "table")
        let doubled = try connection.execute(
            "SELECT coalesce(sum(doubled), 0)::bigint FROM history_duplicates($1, $2)", bounds)
        if try doubled.first?.integer(0) != 0 { throw ExitCode(1) }
    }
}
