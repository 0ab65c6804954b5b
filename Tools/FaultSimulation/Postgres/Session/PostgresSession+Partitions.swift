import Support

/// Statements on day partitions: `history_day_bounds()` and the functions that create and drop partitions.
extension PostgresSession {
    /// Values of `history_day_bounds()`.
    private static let bounds = (daysBack: 400, daysAhead: 7, most: 32)
    /// `lock_timeout` of the functions that create partitions.
    private static let creationLimit = Int64.seconds(2)

    func dayBounds() -> PostgresReply {
        let today = transaction?.today ?? 0
        return .row([
            ("?column?", .integer, "\(today)"), ("?column?", .integer, "\(today - Self.bounds.daysBack)"),
            ("?column?", .integer, "\(today + Self.bounds.daysAhead)"),
        ])
    }

    /// Creates the partitions of some days in all tables, in the order of the tables.
    func ensureDays(_ parameters: PostgresParameters) throws -> PostgresReply {
        let today = transaction?.today ?? 0
        let permitted = today - Self.bounds.daysBack...today + Self.bounds.daysAhead
        let requested = try parameters.array(1).compactMap { Int($0) }.filter { permitted.contains($0) }
        let days = requested.sorted(by: >).prefix(Self.bounds.most).sorted()
        for table in server.schema.historyTables {
            for day in days { try create(.init(table: table.name, day: day), mayBeSkipped: false) }
        }
        return .row([("ensure_history_partitions", .integer, "\(transaction?.createdDays.count ?? 0)")])
    }

    /// Deletes the rows of expired days, and creates partitions for the next days and for rows without one.
    func maintain(_ parameters: PostgresParameters) throws -> PostgresReply {
        let (table, retention) = (try parameters.text(1), Int(try parameters.integer(2)))
        guard server.schema.table(table)?.timeColumn != nil, let transaction else {
            throw PostgresFailure("P0001", "\(table) is not a history table")
        }
        guard server.locks.acquire(creationLock(table), .accessExclusive, for: transaction) else {
            return maintenance(created: 0, dropped: 0, deleted: 0)
        }
        let rows = server.store.rows[table, default: []]
        let oldest = retention > 0 ? transaction.today - retention : .min
        let days = Set(rows.map { PostgresClock.day(of: $0.time) })
        let outside = days.filter { !server.store.days.contains(.init(table: table, day: $0)) }
        let expired = server.store.days.filter { $0.table == table && $0.day < oldest }
        let missing = outside.filter { $0 >= oldest && permits($0) }.sorted().suffix(Self.bounds.most)
        for day in Set(missing).union(transaction.today...transaction.today + 3).sorted() where !skipsLock {
            try create(.init(table: table, day: day), mayBeSkipped: true)
        }
        transaction.droppedDays = expired.sorted { $0.day < $1.day }
        transaction.deletedRows = rows.filter { PostgresClock.day(of: $0.time) < oldest }
        return maintenance(
            created: transaction.createdDays.count, dropped: expired.count,
            deleted: transaction.deletedRows.count { outside.contains(PostgresClock.day(of: $0.time)) })
    }

    private func permits(_ day: Int) -> Bool {
        let today = transaction?.today ?? 0
        return (today - Self.bounds.daysBack...today + Self.bounds.daysAhead).contains(day)
    }

    private func maintenance(created: Int, dropped: Int, deleted: Int) -> PostgresReply {
        .rows([("maintain_history_partitions", 2249)], [["(\(created),\(dropped),\(deleted))"]])
    }

    private func creationLock(_ table: String) -> PostgresLock {
        PostgresLock(relation: "advisory lock of \(table)")
    }

    /// Creates a day's partition, which locks the default partition to move rows out of it.
    private func create(_ day: PostgresStore.Day, mayBeSkipped: Bool) throws(PostgresLockWait) {
        guard let transaction, !server.store.days.contains(day), !transaction.createdDays.contains(day) else { return }
        try acquire(creationLock(day.table), .accessExclusive, limit: Self.creationLimit, mayBeSkipped: mayBeSkipped)
        guard !server.store.days.contains(day) else { return }
        try acquire(
            PostgresLock(relation: SimulatedPostgres.defaultPartition(of: day.table)), .accessExclusive,
            limit: Self.creationLimit, mayBeSkipped: mayBeSkipped)
        transaction.createdDays.append(day)
    }
}
