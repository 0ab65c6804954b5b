import ArgumentParser
import Postgres
import Runtime

/// `sightline history maintain`: creates future partitions and drops expired ones.
struct HistoryMaintain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "maintain",
        abstract: "Create partitions for the next days and drop days older than the retention.",
        discussion: "history-worker does this every minute; run it if no worker runs, or to see the result.")

    @Option(help: "Days to keep, 0 for all; HISTORY_RETENTION_DAYS (30) by default.") var retentionDays: Int?
    @OptionGroup var postgres: PostgresOptions

    func validate() throws {
        if let retentionDays, !(0...36_500).contains(retentionDays) {
            throw ValidationError("--retention-days must be 0 to 36500.")
        }
    }

    func run() throws {
        let days = try retentionDays ?? Settings(for: .commandLine).postgres.retentionDays
        let connection = try postgres.connectToHistory()
        let tables = try connection.execute("SELECT table_name FROM history_tables() ORDER BY table_name")
        for row in tables.rows {
            let table = try row.text(0)
            let (created, dropped, deleted) = try maintain(table, days, connection)
            print(
                "\(table): \(created) days created, \(dropped) dropped, \(deleted) rows deleted from the default partition"
            )
        }
    }

    /// Calls the SQL function until nothing is left to do; each call creates and drops a limited number of days.
    private func maintain(
        _ table: String, _ days: Int, _ connection: PostgresConnection
    ) throws -> (created: Int64, dropped: Int64, deleted: Int64) {
        var sum: (created: Int64, dropped: Int64, deleted: Int64) = (0, 0, 0)
        while true {
            let result = try connection.execute(
                "SELECT created, dropped, deleted FROM maintain_history_partitions($1, $2)",
                [.text(table), .integer(Int64(days))])
            guard let done = result.first else { return sum }
            let (created, dropped) = (try done.integer(0), try done.integer(1))
            sum = (sum.created + created, sum.dropped + dropped, sum.deleted + (try done.integer(2)))
            guard created + dropped > 0 else { return sum }
        }
    }
}
