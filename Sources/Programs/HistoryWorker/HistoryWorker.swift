import SinkCommands

/// Keeps the history in Postgres.
@main
enum HistoryWorker {
    static func main() async { await HistoryWorkerCommand.main() }
}
