import StageCommands

/// Publishes what riders see.
@main
enum BroadcastWorker {
    static func main() async { await BroadcastWorkerCommand.main() }
}
