/// Execution of statements.
extension PostgresSession {
    /// Executes a statement.
    /// - Throws: ``PostgresFailure``, or ``PostgresLockWait`` before it has changed anything.
    func perform(_ statement: PostgresStatement, _ parameters: PostgresParameters) throws -> PostgresReply {
        if server.isReadOnly, let command = statement.writingCommand {
            throw PostgresFailure("25006", "cannot execute \(command) in a read-only transaction")
        }
        switch statement {
        case .begin:
            begin()
            return .command(affected: nil)
        case .commit:
            commit()
            return .command(affected: nil)
        case .rollback:
            rollBack()
            return .command(affected: nil)
        case .set(let name, let value):
            try set(name, value)
            return .command(affected: nil)
        case .one: return .row([("?column?", .integer, "1")])
        case .hasMigrations: return .row([("?column?", .boolean, "t")])
        case .migrations: return server.migrations
        case .checksum: return .row([("encode", .text, SimulatedPostgres.checksum(of: try parameters.text(1)))])
        case .isReadOnly: return .row([("?column?", .boolean, server.isReadOnly ? "t" : "f")])
        case .time: return .row([("floor", .bigint, "\(server.wallMicroseconds / 1000)")])
        case .dayBounds: return dayBounds()
        case .ensureDays: return try ensureDays(parameters)
        case .maintain: return try maintain(parameters)
        case .readProgress(let columns, let locks): return try readProgress(columns, locks: locks, parameters)
        case .insertProgress(let ignoresConflicts):
            return try insertProgress(parameters, ignoresConflicts: ignoresConflicts)
        case .updateProgress(let assignments): return try updateProgress(assignments, parameters)
        case .countProgress: return try countProgress(parameters)
        case .mayDeleteProgress: return .row([("has_table_privilege", .boolean, "t")])
        case .deleteProgress: return try deleteProgress(parameters)
        case .endFrozenWriters: return try endFrozenWriters(parameters)
        case .keptEvents: return try keptEvents(parameters)
        case .tripSamples: return try tripSamples(parameters)
        case .driverSamples: return try driverSamples(parameters)
        case .copy(let table, let columns): return try startCopy(table, columns)
        }
    }

    /// Acquires a lock for the transaction.
    func acquire(
        _ lock: PostgresLock, _ mode: PostgresLockMode, limit: Int64? = nil, mayBeSkipped: Bool = false
    ) throws(PostgresLockWait) {
        guard let transaction, !server.locks.acquire(lock, mode, for: transaction) else { return }
        throw PostgresLockWait(lock: lock, mode: mode, limit: limit, mayBeSkipped: mayBeSkipped)
    }

    /// Terminates sessions that have locks of `sink_progress` and wait for their clients in an old transaction.
    private func endFrozenWriters(_ parameters: PostgresParameters) throws(PostgresFailure) -> PostgresReply {
        let age = try parameters.text(1).split(separator: " ")
        guard age.count == 2, age[1] == "milliseconds", let milliseconds = Int64(age[0]) else {
            throw PostgresFailure("22007", "invalid input syntax for type interval")
        }
        let begin = (transaction?.now ?? server.wallMicroseconds) - milliseconds * 1000
        let progress = PostgresLock(relation: SimulatedPostgres.progressTable)
        let frozen = server.sessions.filter { session in
            guard session !== self, session.isWaitingForClient, let other = session.transaction, other.now < begin
            else { return false }
            return server.locks.owns(progress, .rowShare, other) || server.locks.owns(progress, .rowExclusive, other)
        }
        for session in frozen {
            session.terminate(PostgresFailure("57P01", "terminating connection due to administrator command"))
        }
        return .rows(
            [("pg_terminate_backend", PostgresType.boolean.objectID)], frozen.map { _ in ["t"] })
    }
}

extension PostgresStatement {
    /// Whether the statement is permitted in a failed transaction.
    var endsTransaction: Bool {
        switch self {
        case .commit, .rollback: true
        case .begin, .set, .one, .hasMigrations, .migrations, .checksum, .isReadOnly, .time, .dayBounds, .ensureDays,
            .maintain, .readProgress, .insertProgress, .updateProgress, .countProgress, .mayDeleteProgress,
            .deleteProgress, .endFrozenWriters, .keptEvents, .tripSamples, .driverSamples, .copy:
            false
        }
    }
}

extension PostgresReply {
    /// A result of one row.
    static func row(_ columns: [(name: String, type: PostgresType, value: String?)]) -> PostgresReply {
        .rows(columns.map { ($0.name, $0.type.objectID) }, [columns.map(\.value)])
    }
}
