import ArgumentParser
import ProcessorWorkers
import Foundation
import Gateways
import Glibc
import HistoryWorker
import PositionWorker
import PushWorker
import Runtime

/// The entry point of `sightline`, and of the worker or gateway by whose name it was called.
///
/// The container image contains only this program, with a link per worker and gateway, because separate executables,
/// each with a copy of the standard library, would be eight times as large.
package enum ProgramEntry {
    /// Runs the program whose name is the first argument; exits the process if it fails.
    package static func run(_ arguments: [String]) async {
        let name = URL(fileURLWithPath: arguments.first ?? "").lastPathComponent
        if let worker = workers.first(where: { $0.configuration.commandName == name }) {
            await worker.main()
            return
        }
        ObservabilityBootstrap.logFatalSignals(as: "sightline", format: .auto)
        runSibling(arguments)
        await Sightline.start(Array(arguments.dropFirst()))
    }

    private static let workers: [any AsyncParsableCommand.Type] = [
        LocationWorkerCommand.self, EtaWorkerCommand.self, PositionWorkerCommand.self, HistoryWorkerCommand.self,
        BroadcastWorkerCommand.self, PushWorkerCommand.self, RiderGatewayCommand.self, DriverGatewayCommand.self,
    ]

    /// Replaces this process by `sightline-evaluate` or `sightline-bench` for the argument `evaluate` or `bench`.
    ///
    /// They are separate programs in the same folder, because the image does not contain developers' tools.
    private static func runSibling(_ arguments: [String]) {
        guard arguments.count > 1, ["evaluate", "bench"].contains(arguments[1]) else { return }
        let program = "sightline-\(arguments[1])"
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? arguments[0]
        let path = URL(fileURLWithPath: executable).deletingLastPathComponent().appendingPathComponent(program).path
        var pointers = ([path] + arguments.dropFirst(2)).map { strdup($0) } + [nil]
        execv(path, &pointers)
        StandardError.write(
            "sightline: cannot run \(path): \(String(cString: strerror(errno))). "
                + "Build it with: swift build --configuration release --product \(program)\n")
        exit(ExitStatus.failure)
    }
}
