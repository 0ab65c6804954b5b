/// State of a `COPY` from the client.
struct PostgresCopy {
    let layout: CopyLayout
    var reader: CopyReader
    /// Row that waits for a lock of its partition.
    var waiting: HistoryRow?
    var rowCount = 0
}

/// `COPY … FROM STDIN (FORMAT binary)` to a history table.
extension PostgresSession {
    func startCopy(_ name: String, _ columns: [String]) throws -> PostgresReply {
        guard let table = server.schema.table(name), table.timeColumn != nil else {
            throw PostgresFailure("42P01", "relation \"\(name)\" does not exist")
        }
        try acquire(PostgresLock(relation: name), .rowExclusive)
        let layout = try server.layout(of: table, columns)
        copy = PostgresCopy(layout: layout, reader: CopyReader(columnCount: columns.count))
        return .copyIn
    }

    /// Stores the rows received so far.
    func copyRows() throws {
        while let row = try nextRow() {
            if server.isDiskFull {
                throw PostgresFailure(
                    "53100", "could not extend file: No space left on device", hint: "Check free disk space.")
            }
            let day = PostgresStore.Day(table: row.layout.table.name, day: PostgresClock.day(of: row.time))
            if !server.store.days.contains(day) {
                try acquire(PostgresLock(relation: SimulatedPostgres.defaultPartition(of: day.table)), .rowExclusive)
            }
            copy?.waiting = nil
            copy?.rowCount += 1
            transaction?.rows.append(row)
        }
    }

    /// - Returns: the number of copied rows.
    func finishCopy() throws -> PostgresReply {
        try copyRows()
        try copy?.reader.finish()
        defer { copy = nil }
        return .command(affected: copy?.rowCount)
    }

    private func nextRow() throws -> HistoryRow? {
        guard let layout = copy?.layout else { return nil }
        if let waiting = copy?.waiting { return waiting }
        guard let bytes = try copy?.reader.next() else { return nil }
        let row = try HistoryRow(layout, bytes)
        copy?.waiting = row
        return row
    }
}
