import StageCommands

/// Computes when vehicles arrive.
@main
enum EtaWorker {
    static func main() async { await EtaWorkerCommand.main() }
}
