import PushCommands

/// Tells riders' phones.
@main
enum PushWorker {
    static func main() async { await PushWorkerCommand.main() }
}
