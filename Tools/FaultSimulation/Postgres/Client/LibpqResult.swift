import CPQ

/// Result of a statement in the client: the state behind a `PGresult`.
final class LibpqResult {
    let status: ExecStatusType
    let columns: [(name: CText, type: UInt32)]
    let rows: [[CText?]]
    /// Number of affected rows, or an empty text.
    let affected: CText
    /// Fields of an error by code, as in the protocol: `S` severity, `C` SQLSTATE, `M` message, `H` hint.
    private(set) var errorFields: [Int32: CText] = [:]
    let errorMessage: CText

    init(_ reply: PostgresReply) {
        var (columns, rows): ([PostgresReply.Column], [[String?]]) = ([], [])
        var (affected, message) = ("", "")
        var fields: [Character: String] = [:]
        switch reply {
        case .rows(let names, let values):
            (columns, rows) = (names, values)
            status = PGRES_TUPLES_OK
            affected = "\(rows.count)"
        case .command(let count):
            status = PGRES_COMMAND_OK
            affected = count.map { "\($0)" } ?? ""
        case .copyIn: status = PGRES_COPY_IN
        case .failure(let failure, let isFatal):
            status = PGRES_FATAL_ERROR
            let severity = isFatal ? "FATAL" : "ERROR"
            message = "\(severity):  \(failure.message)\n"
            fields = ["S": severity, "C": failure.state, "M": failure.message]
            fields["H"] = failure.hint
            if let hint = failure.hint { message += "HINT:  \(hint)\n" }
        }
        self.columns = columns.map { (CText($0.name), $0.type) }
        self.rows = rows.map { $0.map { $0.map(CText.init) } }
        self.affected = CText(affected)
        errorMessage = CText(message)
        for (code, text) in fields { errorFields[Int32(code.asciiValue ?? 0)] = CText(text) }
    }

    /// Creates a row of single-row mode.
    init(row: [String?], of columns: [PostgresReply.Column]) {
        status = PGRES_SINGLE_TUPLE
        self.columns = columns.map { (CText($0.name), $0.type) }
        rows = [row.map { $0.map(CText.init) }]
        (affected, errorMessage) = (CText(""), CText(""))
    }

    /// Creates the result of a broken connection, which has no SQLSTATE.
    init(lost message: String) {
        status = PGRES_FATAL_ERROR
        (columns, rows) = ([], [])
        (affected, errorMessage) = (CText(""), CText(message))
    }

    func value(row: Int32, column: Int32) -> CText? {
        guard rows.indices.contains(Int(row)), rows[Int(row)].indices.contains(Int(column)) else { return nil }
        return rows[Int(row)][Int(column)]
    }
}
