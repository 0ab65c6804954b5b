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
        var rest = buffer.bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.copyChunkByteCount))
            let start = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
            // In non-blocking mode libpq takes any amount, in a buffer that grows to it; the flush keeps it small.
            guard PQputCopyData(handle, start, Int32(piece.count)) == 1 else { throw lost(handle) }
            try flush(handle, until: deadline)
            rest = rest.dropFirst(piece.count)
        }
        buffer.removeAll()
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
