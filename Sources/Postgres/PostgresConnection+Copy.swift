import CPQ

/// `COPY … FROM STDIN`: ``startCopyIn(_:)``, repeated ``sendCopyData(_:)``, ``finishCopyIn(meanwhile:)``.
///
/// The server processes sent rows while the caller encodes the next ones. No other statement is allowed in between. If
/// an error ends the transaction before the copy is finished, the connection is closed.
extension PostgresConnection {
    /// Number of bytes to collect before sending: few calls, but small enough for the CPU cache.
    package static let copyChunkByteCount = 1 << 16

    /// Starts a copy with a `COPY … FROM STDIN …` statement.
    package func startCopyIn(_ statement: String) throws {
        let handle = try usableHandle()
        let deadline = deadline
        guard PQsendQuery(handle, statement) == 1 else { throw lost(handle) }
        try flush(handle, until: deadline)
        guard let result = try nextResult(handle, until: deadline) else { throw lost(handle) }
        defer { PQclear(result) }
        if PQresultStatus(result) == PGRES_COPY_IN { return }
        let failure = error(of: result)
        if failure.code == .connectionLost {
            close()
        } else {
            while let rest = try nextResult(handle, until: deadline) { PQclear(rest) }
        }
        throw failure
    }

    /// Sends and empties `buffer`.
    package func sendCopyData(_ buffer: inout CopyBuffer) throws {
        let handle = try usableHandle()
        let bytes = buffer.bytes
        guard bytes.count > 0 else { return }
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        // In non-blocking mode, libpq's buffer grows as needed; the flush empties it.
        guard PQputCopyData(handle, start, Int32(bytes.count)) == 1 else { throw lost(handle) }
        buffer.removeAll()
        try flush(handle, until: deadline)
    }

    /// Ends the copy.
    ///
    /// `meanwhile`: called while the server processes the last rows.
    /// - Returns: the number of copied rows.
    package func finishCopyIn(meanwhile: () -> Void = {}) throws -> Int {
        let handle = try usableHandle()
        let deadline = deadline
        guard PQputCopyEnd(handle, nil) == 1 else { throw lost(handle) }
        try flush(handle, until: deadline)
        meanwhile()
        return try finalResult(handle, until: deadline).affectedRows
    }
}
