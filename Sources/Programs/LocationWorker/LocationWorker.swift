import StageCommands

/// Judges and smooths raw driver locations.
@main
enum LocationWorker {
    static func main() async { await LocationWorkerCommand.main() }
}
