/// Committed contents of the tables, for checks.
extension SimulatedPostgres {
    /// All tables with their rows as sorted text, such as `driver_id=d1 risk=0.25`; `-` stands for null.
    ///
    /// Equal for equal contents: without the time at which a row was written.
    var contents: [(table: String, rows: [String])] {
        schema.historyTables.map { ($0.name, lines(of: $0.name)) }
            + [(Self.progressTable, progress.map(line))]
    }

    /// Rows of a history table as sorted text.
    func lines(of table: String) -> [String] { rows(of: table).map(\.line).sorted() }

    /// Rows of a history table in the order of their commits.
    func rows(of table: String) -> [HistoryRow] { store.rows[table, default: []] }

    /// Rows of `sink_progress` in the order of their keys.
    var progress: [ProgressRow] { store.progress.keys.sorted().compactMap { store.progress[$0] } }

    /// Returns the next offset of a partition; `nil` if it was never written.
    func nextOffset(topic: String, partition: Int32, sink: String = "history") -> Int64? {
        store.progress[ProgressKey(sink: sink, topic: topic, partition: partition)]?.nextOffset
    }

    /// Returns the keys of rows whose event has another row, as `history_duplicates()` counts them.
    func duplicates() -> [String] {
        schema.historyTables.flatMap { table in
            let names = ["event_is_trip", "kafka_partition", "event_offset", "event_part"]
            let key = names.filter { table.column($0) != nil } + (table.column("stop_index").map { [$0.name] } ?? [])
            var seen: Set<String> = []
            return rows(of: table.name).compactMap { row in
                let text = key.map { row.text($0) ?? "-" }.joined(separator: "/")
                return seen.insert(text).inserted ? nil : "\(table.name) \(text)"
            }
        }
    }

    private func line(_ row: ProgressRow) -> String {
        (schema.table(Self.progressTable)?.columns ?? []).filter { $0.name != "updated_at" }
            .map { "\($0.name)=\(row[$0.name] ?? "-")" }.joined(separator: " ")
    }
}
