import Logging
import Runtime

/// A running worker of a simulated pipeline.
final class SimulatedWorker {
    let kind: WorkerKind
    let process: SimulatedProcess
    private let worker: StreamWorker
    /// Whether the worker was asked to end.
    private(set) var isStopping = false
    /// Error with which the worker ended on its own; `nil` if it runs or was asked to end.
    private(set) var failure: String?

    /// Starts a worker; `environment`: its settings.
    init(_ kind: WorkerKind, number: Int, environment: [String: String], _ world: World) throws {
        self.kind = kind
        let name = "\(kind.rawValue)-\(number)"
        let logger = Logger(label: name) { TraceLogHandler(process: $0, world.trace) }
        let settings = try Settings(for: kind.program, environment: environment)
        let worker = try kind.makeWorker(WorkerProcess.Parts(settings: settings, logger: logger))
        self.worker = worker
        let outcome = Outcome()
        process = world.start(name) { outcome.run(worker) }
        process.onKill.append { worker.abandon() }
        outcome.onEnd = { [weak self] error in self?.handleEnd(error) }
    }

    private final class Outcome {
        var onEnd: (((any Error)?) -> Void)?

        func run(_ worker: StreamWorker) {
            do {
                try worker.runOnCallingThread()
                onEnd?(nil)
            } catch {
                onEnd?(error)
            }
        }
    }

    private func handleEnd(_ error: (any Error)?) {
        guard !process.isDead else { return }
        if let error {
            failure = "\(error)"
        } else if !isStopping {
            failure = "The worker ended without being stopped."
        }
        process.world.trace.add("\(process.name) has ended" + (failure.map { ": \($0)" } ?? ""))
        // The process ends with its worker.
        process.world.schedule(after: 0) { [process] in process.kill() }
    }

    var isRunning: Bool { !process.isDead }

    /// Ends the worker in order (SIGTERM).
    func terminate() {
        isStopping = true
        worker.stop()
    }

    /// Ends the worker at once (SIGKILL).
    func kill() {
        isStopping = true
        process.kill()
    }
}
