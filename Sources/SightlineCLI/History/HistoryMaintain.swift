import ArgumentParser
import Postgres
import Settings

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
            let done = try connection.execute(
                "SELECT created, dropped, deleted FROM maintain_history_partitions($1, $2)",
                [.text(table), .integer(Int64(days))])
            guard let done = done.first else { continue }
            print("\(table): \(try done.integer(0)) days created, \(try done.integer(1)) dropped")
        }
    }
}
