import Runtime
import Synchronization
import TestSupport

/// A started worker and its result.
final class RunningWorker: Sendable {
    let worker: StreamWorker
    private let outcome = Mutex<Result<Void, any Error>?>(nil)

    init(_ worker: StreamWorker) {
        self.worker = worker
        Task { [self] in
            do {
                try await worker.run()
                outcome.withLock { $0 = .success(()) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
    }

    var hasEnded: Bool { outcome.withLock { $0 != nil } }

    /// The error of the worker; `nil` while it runs and after a graceful stop.
    var failure: (any Error)? { outcome.withLock { if case .failure(let error)? = $0 { error } else { nil } } }

    var partitions: [PartitionStatus] { worker.status.snapshot.partitions }

    /// Whether the worker has `count` partitions, all in `state`.
    func holds(_ count: Int, _ state: PartitionStatus.State) -> Bool {
        partitions.count == count && partitions.allSatisfy { $0.state == state }
    }

    /// Waits until `condition` holds while the worker runs.
    ///
    /// - Throws: the error of a worker that fails first, or ``NotInTime``.
    func until(_ description: @autoclosure () -> String, _ condition: () throws -> Bool) async throws {
        try await eventually("\(description()); the worker: \(worker.status.snapshot)") {
            if try condition() { return true }
            if let failure { throw failure }
            return false
        }
    }

    /// Stops the worker gracefully and waits for its end.
    func stop() async throws {
        worker.stop()
        try await eventually("the worker to stop") { hasEnded }
        if let failure { throw failure }
    }
}
