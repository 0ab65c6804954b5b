/// Statements on `sink_progress`, at the isolation level READ COMMITTED.
extension PostgresSession {
    /// Reads, and with `FOR UPDATE` locks, the rows of some partitions in the order of their keys.
    func readProgress(_ columns: [String], locks: Bool, _ parameters: PostgresParameters) throws -> PostgresReply {
        try acquire(PostgresLock(relation: SimulatedPostgres.progressTable), locks ? .rowShare : .accessShare)
        let types = try columns.map { name in
            guard let column = server.schema.table(SimulatedPostgres.progressTable)?.column(name) else {
                throw PostgresFailure("42703", "column \"\(name)\" does not exist")
            }
            return (name, column.type.objectID)
        }
        let wanted = Set(try partitions(parameters))
        // Rows that others insert while this statement waits for a lock are not read.
        let found = candidates ?? visibleProgress.map(\.key).filter { wanted.contains($0) }
        candidates = found
        var rows: [[String?]] = []
        for key in found where visible(key) != nil {
            if locks { try acquire(rowLock(key), .update) }
            if let row = visible(key) { rows.append(columns.map { row[$0] }) }
        }
        return .rows(types, rows)
    }

    func insertProgress(_ parameters: PostgresParameters, ignoresConflicts: Bool) throws -> PostgresReply {
        try acquire(PostgresLock(relation: SimulatedPostgres.progressTable), .rowExclusive)
        guard let transaction else { return .command(affected: 0) }
        var inserted: [ProgressRow] = []
        for key in try partitions(parameters) where !inserted.contains(where: { $0.key == key }) {
            let lock = rowLock(key)
            // Another transaction inserts, changes or deletes the row: its end decides.
            if server.hasChange(of: key, byOtherThan: transaction), server.locks.isOwned(lock, byOtherThan: transaction)
            {
                throw PostgresLockWait(lock: lock, mode: .update, isMomentary: true)
            }
            if visible(key) == nil {
                try acquire(lock, .update)
                inserted.append(ProgressRow(key))
            } else if !ignoresConflicts {
                throw PostgresFailure(
                    "23505", "duplicate key value violates unique constraint \"sink_progress_pkey\"")
            }
        }
        for row in inserted { transaction.progress[row.key] = .some(row) }
        return .command(affected: inserted.count)
    }

    func updateProgress(_ assignments: [ProgressAssignment], _ parameters: PostgresParameters) throws -> PostgresReply {
        try acquire(PostgresLock(relation: SimulatedPostgres.progressTable), .rowExclusive)
        let names = PostgresStatementText.updateColumns
        let arrays = try names.indices.map { try parameters.array($0 + 2) }
        var changed: [ProgressRow] = []
        for (index, key) in try partitions(parameters).enumerated() where visible(key) != nil {
            try acquire(rowLock(key), .update)
            guard let stored = visible(key) else { continue }
            var new: [String: String] = [:]
            for (name, values) in zip(names, arrays) where index < values.count { new[name] = values[index] }
            var row = stored
            for assignment in assignments { row[assignment.column] = assignment.value(new, stored) }
            changed.append(row)
        }
        for row in changed { transaction?.progress[row.key] = .some(row) }
        return .command(affected: changed.count)
    }

    func countProgress(_ parameters: PostgresParameters) throws -> PostgresReply {
        try acquire(PostgresLock(relation: SimulatedPostgres.progressTable), .accessShare)
        return .row([("count", .bigint, "\(try progress(ofTopics: parameters).count)")])
    }

    func deleteProgress(_ parameters: PostgresParameters) throws -> PostgresReply {
        try acquire(PostgresLock(relation: SimulatedPostgres.progressTable), .rowExclusive)
        let keys = try progress(ofTopics: parameters).map(\.key)
        for key in keys { try acquire(rowLock(key), .update) }
        for key in keys { transaction?.progress[key] = .some(nil) }
        return .row([("count", .bigint, "\(keys.count)")])
    }

    private func progress(ofTopics parameters: PostgresParameters) throws -> [ProgressRow] {
        let topics = Set(try parameters.array(1))
        return visibleProgress.filter { topics.contains($0.key.topic) }
    }

    /// The partitions of the parameters `$1` (sink), `$2` (topics) and `$3` (partition numbers).
    private func partitions(_ parameters: PostgresParameters) throws -> [ProgressKey] {
        let sink = try parameters.text(1)
        return zip(try parameters.array(2), try parameters.array(3)).map {
            ProgressKey(sink: sink, topic: $0, partition: Int32($1) ?? -1)
        }
    }

    private func rowLock(_ key: ProgressKey) -> PostgresLock {
        PostgresLock(relation: SimulatedPostgres.progressTable, row: key)
    }

    /// Returns the row that the transaction sees.
    private func visible(_ key: ProgressKey) -> ProgressRow? {
        if let change = transaction?.progress[key] { return change }
        return server.store.progress[key]
    }

    /// The rows that the transaction sees, in the order of their keys.
    private var visibleProgress: [ProgressRow] {
        let keys = Set(server.store.progress.keys).union((transaction?.progress.keys).map(Set.init) ?? [])
        return keys.sorted().compactMap { visible($0) }
    }
}
