/// Queries of history tables, with which `history-worker` restores its samplers.
extension PostgresSession {
    /// Finds the stored fixes of a partition since a time.
    func keptEvents(_ parameters: PostgresParameters) throws -> PostgresReply {
        let partition = try parameters.integer(1)
        let since = try parameters.integer(2) * 1000 - PostgresClock.epochMicroseconds
        let rows = try visibleRows(of: "location_history").filter {
            $0.time >= since && $0.number("kafka_partition") == partition
        }
        let columns = [("event_offset", PostgresType.bigint.objectID), ("event_part", PostgresType.bigint.objectID)]
        return .rows(columns, rows.map { [$0.text("event_offset"), $0.text("event_part")] })
    }

    /// Finds the last sampled prediction and the number of passed stops of each trip.
    func tripSamples(_ parameters: PostgresParameters) throws -> PostgresReply {
        let trips = Set(try parameters.array(1))
        var last: [String: Int64] = [:]
        var passed: [String: Int64] = [:]
        for row in try visibleRows(of: "eta_history") where trips.contains(row.key) {
            if row.boolean("is_passed") {
                passed[row.key] = max(passed[row.key] ?? 0, (row.number("stop_index") ?? 0) + 1)
            } else {
                last[row.key] = max(last[row.key] ?? .min, row.time)
            }
        }
        let found = Set(last.keys).union(passed.keys).sorted()
        let types = [PostgresType.text, .bigint, .integer].map(\.objectID)
        return .rows(
            Array(zip(["trip_id", "int8", "coalesce"], types)),
            found.map { [$0, last[$0].map(Self.unixMilliseconds), "\(passed[$0] ?? 0)"] })
    }

    /// Finds the last stored fix with a position of each driver.
    func driverSamples(_ parameters: PostgresParameters) throws -> PostgresReply {
        let drivers = try parameters.array(1)
        let wanted = Set(drivers)
        var last: [String: (at: Int64, row: HistoryRow)] = [:]
        for row in try visibleRows(of: "location_history")
        where wanted.contains(row.key) && row.field("latitude") != nil {
            guard let at = row.number("fixed_at") else { continue }
            if let known = last[row.key], known.at > at { continue }
            last[row.key] = (at, row)
        }
        let types = [PostgresType.text, .bigint, .double, .double].map(\.objectID)
        return .rows(
            Array(zip(["driver_id", "int8", "latitude", "longitude"], types)),
            drivers.compactMap { driver in
                last[driver].map {
                    [driver, Self.unixMilliseconds($0.at), $0.row.text("latitude"), $0.row.text("longitude")]
                }
            })
    }

    private func visibleRows(of table: String) throws -> [HistoryRow] {
        // A query locks all partitions of its table, also the default one.
        try acquire(PostgresLock(relation: table), .accessShare)
        try acquire(PostgresLock(relation: SimulatedPostgres.defaultPartition(of: table)), .accessShare)
        let own = transaction?.rows.filter { $0.layout.table.name == table } ?? []
        return server.store.rows[table, default: []] + own
    }

    private static func unixMilliseconds(_ microsecondsSince2000: Int64) -> String {
        // Postgres rounds a half away from zero; stored times are whole milliseconds.
        let microseconds = Double(microsecondsSince2000 + PostgresClock.epochMicroseconds)
        return "\(Int64((microseconds / 1000).rounded()))"
    }
}
