import ArgumentParser
import Postgres
import Runtime

/// `sightline history maintain`: makes partitions for the days to come and drops those that are over.
struct HistoryMaintain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "maintain", abstract: "Make partitions ahead and drop days older than retention.",
        discussion: "The history worker does this every minute; run it where no worker runs, or to see what it does.")

    @Option(help: "Days kept, 0 for all; HISTORY_RETENTION_DAYS (30) when it is not given.") var retentionDays: Int?
    @OptionGroup var postgres: PostgresOptions

    func validate() throws {
        if let retentionDays, !(0...36_500).contains(retentionDays) {
            throw ValidationError("--retention-days is 0 to 36500.")
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

    /// Calls the function, which makes and drops a bounded number of days, until it finds nothing to do.
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
