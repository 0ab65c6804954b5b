import ArgumentParser
import Postgres
import Runtime

/// The format of an answer.
struct FormatOptions: ParsableArguments {
    @Option(help: "How to write the answer.")
    var format = HistoryFormat.table

    /// - Throws: a `ValidationError` for formats that draw positions, where the answer has none.
    func requireNoPositions() throws {
        if format.needsPositions {
            throw ValidationError("This answer has no positions to draw: use --format table, json, ndjson or csv.")
        }
    }

    /// Runs a question and writes its rows to standard output as they come.
    ///
    /// Where there is none, standard error says so, except in a table, which does itself.
    /// - Returns: how many there were.
    @discardableResult
    func write(
        _ question: String, _ parameters: [PostgresValue], over connection: PostgresConnection,
        _ text: AnswerText = AnswerText()
    ) throws -> Int {
        let output = TextOutput()
        let writer = format.writer(to: output, text)
        var count = 0
        let columns = try connection.stream(question, parameters) { row in
            if count == 0 { writer.begin(row.columns) }
            count += 1
            try writer.write(row)
        }
        if count == 0 { writer.begin(columns) }
        try writer.end()
        try output.flush()
        if count == 0, format != .table { StandardError.write(text.nothing + "\n") }
        return count
    }
}
