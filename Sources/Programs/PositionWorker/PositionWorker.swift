import SinkCommands

/// Keeps the latest in Redis.
@main
enum PositionWorker {
    static func main() async { await PositionWorkerCommand.main() }
}
