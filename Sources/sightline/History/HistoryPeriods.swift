import ArgumentParser
import Postgres

/// A query of the history in a period.
struct PeriodQuery: ParsableArguments {
    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    /// Prints the rows that an SQL function returns.
    ///
    /// `empty`: start of the message for an empty result. `arguments`: for the SQL function; the period by default.
    /// - Returns: the connection and the arguments.
    /// - Throws: a `ValidationError` for a format that needs positions if `hasPositions` is `false`.
    @discardableResult
    func run(
        _ function: String, _ text: ResultText, empty: String = "There is nothing", hasPositions: Bool = false,
        _ arguments: (Period) -> [PostgresValue] = { [$0.from, $0.to] }
    ) throws -> (connection: PostgresConnection, arguments: [PostgresValue]) {
        if !hasPositions { try format.requireNoPositions() }
        let connection = try postgres.connectToHistory()
        let period = try period.bounds(connection)
        let arguments = arguments(period)
        let parameters = arguments.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        var text = text
        text.empty = period.empty(empty)
        try format.write("SELECT * FROM \(function)(\(parameters))", arguments, over: connection, text)
        return (connection, arguments)
    }
}

/// `sightline history eta-accuracy`: evaluates predicted arrival times.
struct HistoryEtaAccuracy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta-accuracy", abstract: "Show the accuracy of the arrival times of a period, by horizon.")

    @OptionGroup var query: PeriodQuery

    func run() throws { try query.run("eta_accuracy", ResultText(row: "horizon")) }
}

/// `sightline history warnings`: counts warnings.
struct HistoryWarnings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warnings", abstract: "Count the warnings of a period by code and action.")

    @OptionGroup var query: PeriodQuery

    func run() throws {
        try query.run("warning_summary", ResultText(row: "kind of warning", rows: "kinds of warnings"))
    }
}

/// `sightline history verify`: counts duplicate rows.
struct HistoryVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Count duplicate rows of events; exits with 1 if there are any.")

    @OptionGroup var query: PeriodQuery

    func run() throws {
        let (connection, bounds) = try query.run("history_duplicates", ResultText(row: "table"))
        let duplicates = try connection.execute(
            "SELECT coalesce(sum(duplicates), 0)::bigint FROM history_duplicates($1, $2)", bounds)
        if try duplicates.first?.integer(0) != 0 { throw ExitCode(1) }
    }
}
