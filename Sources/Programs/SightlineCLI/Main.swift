import Foundation
import Observability

/// One program under several names: called by a worker's name it is that worker, else the tool.
///
/// Each worker also has an executable of its own; the container image, where six programs with the standard library
/// inside would weigh six times as much, has this one with links to it.
@main
enum Main {
    static func main() async {
        let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
        if let worker = WorkerCommands.named(name) {
            await worker.main()
        } else {
            FatalSignals.log(as: "sightline", format: .auto)
            await Sightline.start(Array(CommandLine.arguments.dropFirst()))
        }
    }
}
