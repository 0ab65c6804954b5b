import Foundation
import Runtime

/// Starts `sightline`, or the worker or gateway by whose name it was called.
///
/// The container image contains only this program, with a link for each worker: separate executables, each with its own
/// copy of the standard library, would be eight times as large.
package enum ProgramEntry {
    /// Runs the program that `arguments` name, and ends the process if it fails.
    package static func run(_ arguments: [String]) async {
        let name = URL(fileURLWithPath: arguments.first ?? "").lastPathComponent
        if let worker = WorkerCommands.named(name) {
            await worker.main()
            return
        }
        FatalSignals.log(as: "sightline", format: .auto)
        SiblingProgram.runIfNamed(by: arguments)
        await Sightline.start(Array(arguments.dropFirst()))
    }
}
