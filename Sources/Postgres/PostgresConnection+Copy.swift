import CPQ

/// Copying rows in: ``startCopyIn(_:)``, ``sendCopyData(_:)`` as often as wanted, ``finishCopyIn()``.
///
/// The server works on what was sent while the caller encodes the next rows. Between start and finish the connection
/// takes no other statement; in a transaction an error thrown meanwhile closes it.
extension PostgresConnection {
    /// Bytes collected before they are sent: large enough to make calls rare, small enough to stay in the cache.
    package static let copyChunkByteCount = 1 << 16

    /// Begins a copy with a statement of the form `COPY … FROM STDIN …`.
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

    /// Sends what `buffer` holds and empties it.
    package func sendCopyData(_ buffer: inout CopyBuffer) throws {
        let handle = try usableHandle()
        let bytes = buffer.bytes
        guard bytes.count > 0 else { return }
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        // libpq's own buffer grows as needed in non-blocking mode, so the data is always taken; the flush bounds it.
        guard PQputCopyData(handle, start, Int32(bytes.count)) == 1 else { throw lost(handle) }
        buffer.removeAll()
        try flush(handle, until: deadline)
    }

    /// Ends the copy.
    ///
    /// `meanwhile` is called while the server works on what was sent last.
    /// - Returns: how many rows were copied.
    package func finishCopyIn(meanwhile: () -> Void = {}) throws -> Int {
        let handle = try usableHandle()
        let deadline = deadline
        guard PQputCopyEnd(handle, nil) == 1 else { throw lost(handle) }
        try flush(handle, until: deadline)
        meanwhile()
        return try finalResult(handle, until: deadline).affectedRows
    }
}
