import ArgumentParser
import Postgres

/// The options of a question about all drivers in a period, and its answer.
struct PeriodQuestion: ParsableArguments {
    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var postgres: PostgresOptions

    func validate() throws { try format.requireNoPositions() }

    /// Prints what a function of the schema answers for the period.
    /// - Returns: the connection, and the period's bounds as the function got them.
    @discardableResult
    func ask(
        _ function: String, row: Noun = .row
    ) throws -> (connection: PostgresConnection, bounds: [PostgresValue]) {
        let connection = try postgres.connectToHistory()
        let period = try period.bounds(connection)
        let bounds = [period.from, period.to]
        try format.write(
            "SELECT * FROM \(function)($1, $2)", bounds, over: connection,
            AnswerText(row: row, nothing: period.nothing("There is nothing")))
        return (connection, bounds)
    }
}
