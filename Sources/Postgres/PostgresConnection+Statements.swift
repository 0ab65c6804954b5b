import CPQ

extension PostgresConnection {
    /// Runs one statement; parameters stand as `$1`, `$2`, … in it.
    /// - Throws: ``PostgresError``.
    @discardableResult
    package func execute(_ statement: String, _ parameters: [PostgresValue] = []) throws -> PostgresResult {
        let handle = try usableHandle()
        let deadline = deadline
        try send(statement, parameters, over: handle)
        try flush(handle, until: deadline)
        return try finalResult(handle, until: deadline)
    }

    /// Runs several statements, separated by semicolons, without parameters: a migration.
    ///
    /// They may take as long as they need; the response timeout does not apply.
    package func executeScript(_ script: String) throws {
        let handle = try usableHandle()
        guard PQsendQuery(handle, script) == 1 else { throw lost(handle) }
        try flush(handle, until: nil)
        _ = try finalResult(handle, until: nil)
    }

    /// Runs one statement and hands over its rows one by one as they come, in constant memory.
    ///
    /// A row is valid during the call of `body`. An error thrown by `body` ends the connection: the rest of the answer
    /// would have to be read first. The response timeout does not apply, as a long query may be silent for long.
    ///
    /// `check`: called every quarter of a second while no row comes; what it throws ends the connection, too.
    /// - Returns: the columns, also of an answer without rows.
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

    /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// When the connection breaks at the commit, it is unknown whether it happened; the error is retriable and the
    /// caller finds out by reading what it wrote.
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

    /// Rolls back, or closes the connection where that cannot be done (in the middle of a copy, or broken).
    private func rollBack() {
        guard let handle = try? usableHandle() else { return }  // closed: the server rolls back by itself
        switch PQtransactionStatus(handle) {
        case PQTRANS_IDLE: return
        case PQTRANS_INTRANS, PQTRANS_INERROR:
            // A failure here closes the connection, which rolls back too; the caller's error is the one that matters.
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
