import CPQ
import Support

extension PostgresConnection {
    /// Runs one statement with the parameters `$1`, `$2`, ….
    /// - Throws: ``PostgresError`` if the connection breaks or the server rejects the statement.
    @discardableResult
    package func execute(_ statement: String, _ parameters: [PostgresValue] = []) throws -> PostgresResult {
        let handle = try usableHandle()
        let deadline = deadline
        try send(statement, parameters, over: handle)
        try flush(handle, until: deadline)
        return try finalResult(handle, until: deadline)
    }

    /// Runs several statements separated by semicolons, without the response timeout.
    package func executeScript(_ script: String) throws {
        let handle = try usableHandle()
        guard PQsendQuery(handle, script) == 1 else { throw lost(handle) }
        try flush(handle, until: nil)
        _ = try finalResult(handle, until: nil)
    }

    /// Runs one statement and passes its rows to `body` one by one, in constant memory, without the response timeout.
    ///
    /// A row is valid during the call of `body`. Errors of `body` and `check` close the connection, because otherwise
    /// the remaining rows would have to be read.
    ///
    /// `check`: called every 250 ms while no row arrives.
    /// - Returns: the columns, even without rows.
    @discardableResult
    package func stream(
        _ statement: String, _ parameters: [PostgresValue] = [], check: () throws -> Void = {},
        _ body: (PostgresRow) throws -> Void
    ) throws -> [PostgresColumn] {
        let handle = try usableHandle()
        try send(statement, parameters, over: handle)
        guard PQsetSingleRowMode(handle) == 1 else { throw lost(handle) }
        try flush(handle, until: nil)
        var columns: [PostgresColumn]?
        while let result = try nextResult(handle, until: nil, check) {
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE:
                let row = PostgresResult(owning: result, columns: columns)
                columns = row.columns
                do {
                    try body(PostgresRow(result: row, index: 0))
                } catch {
                    close()
                    throw error
                }
            case PGRES_TUPLES_OK:
                columns = PostgresResult(owning: result, columns: columns).columns
            default:
                let failure = error(of: result)
                PQclear(result)
                if failure.code == .connectionLost { close() } else { try drain(handle) }
                throw failure
            }
        }
        return columns ?? []
    }

    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// If the connection breaks during the commit, the outcome is unknown. The error is retriable; before a retry, the
    /// caller must check whether the data was committed.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Rolls back the transaction; closes the connection if it broke or a copy is unfinished.
    private func rollBack() {
        guard let handle = try? usableHandle() else { return }  // closed: the server rolls back
        switch PQtransactionStatus(handle) {
        case PQTRANS_IDLE: return
        case PQTRANS_INTRANS, PQTRANS_INERROR:
            // Closing also rolls back. The error is discarded, because the caller throws the original one.
            do { try execute("ROLLBACK") } catch { close() }
        default: close()
        }
    }

    private func send(_ statement: String, _ parameters: [PostgresValue], over handle: OpaquePointer) throws {
        let sent = withCStrings(parameters.map(\.encoded)) { values in
            PQsendQueryParams(handle, statement, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        guard sent == 1 else { throw lost(handle) }
    }

    private func drain(_ handle: OpaquePointer) throws {
        while let result = try nextResult(handle, until: deadline) { PQclear(result) }
    }
}
