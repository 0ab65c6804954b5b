import Logging
import Synchronization

/// Status of a worker for the health endpoint; written by the worker's thread, read from any thread.
package final class WorkerStatus: Sendable {
    package struct Snapshot: Sendable {
        package var isReady: Bool
        /// Reason why the worker is not ready, as one sentence for an operator; `nil` if it is ready.
        package var reason: String?
        package var partitions: [PartitionStatus]
        /// Last time at which the worker's thread reported that it is alive.
        package var lastProgress: ContinuousClock.Instant
    }

    private let state = Mutex(
        Snapshot(isReady: false, reason: "The worker is starting.", partitions: [], lastProgress: .now))

    /// Whether the port for clients is open; stays `true` for workers, which have no such port.
    private let isListening = Atomic(true)
    private let failure = Mutex<(error: WorkerError?, action: (@Sendable (WorkerError) -> Void)?)>((nil, nil))

    package init() {}

    /// Sets the action for a failure, which is called once, on the worker's thread, before clients are released.
    package func onFailure(_ action: @escaping @Sendable (WorkerError) -> Void) {
        failure.withLock { $0.action = action }
    }

    package var snapshot: Snapshot {
        var snapshot = state.withLock { $0 }
        if snapshot.isReady, !isListening.load(ordering: .acquiring) {
            snapshot.isReady = false
            snapshot.reason = "The port for clients is not open yet."
        }
        return snapshot
    }

    /// Sets whether clients can connect; while they cannot, the program is not ready.
    package func setListening(_ value: Bool) { isListening.store(value, ordering: .releasing) }

    package func setReady() {
        state.withLock { state in
            state.isReady = true
            state.reason = nil
        }
    }

    package func setNotReady(_ reason: String) {
        state.withLock { state in
            state.isReady = false
            state.reason = reason
        }
    }

    /// Logs and publishes a failure, and calls its action; called before clients are released.
    package func fail(_ error: WorkerError, _ logger: Logger) {
        logger.critical("Worker failed.", metadata: .of([.error: "\(error)"]))
        setNotReady("Worker failed: \(error)")
        let action = failure.withLock { failure in
            failure.error = error
            return failure.action
        }
        action?(error)
    }

    /// Publishes the end of the worker; keeps the reason of a failure.
    package func setStopped() {
        guard failure.withLock({ $0.error == nil }) else { return }
        setNotReady("Worker stopped.")
    }

    package func setPartitions(_ partitions: [PartitionStatus]) { state.withLock { $0.partitions = partitions } }

    package func beat() { state.withLock { $0.lastProgress = .now } }
}
