import Logging
import Synchronization

/// How a worker is, for the health endpoint: written by the worker's thread, read from anywhere.
package final class WorkerStatus: Sendable {
    package struct Snapshot: Sendable {
        package var isReady: Bool
        /// One sentence for an operator while the worker is not ready; `nil` when it is.
        package var reason: String?
        package var partitions: [PartitionStatus]
        /// When the thread last came round its loop.
        package var lastProgress: ContinuousClock.Instant
    }

    private let state = Mutex(
        Snapshot(isReady: false, reason: "The worker is starting.", partitions: [], lastProgress: .now))

    /// What else happens when the worker fails; see ``onFailure(_:)``.
    private let failure = Mutex<(error: WorkerError?, action: (@Sendable (WorkerError) -> Void)?)>((nil, nil))

    package init() {}

    /// Calls `action` once, on the worker's thread, when the worker cannot go on and before it lets go of its clients.
    package func onFailure(_ action: @escaping @Sendable (WorkerError) -> Void) {
        failure.withLock { $0.action = action }
    }

    package var snapshot: Snapshot { state.withLock { $0 } }

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

    /// Says why the worker cannot go on, before anything else is done about it.
    package func fail(_ error: WorkerError, _ logger: Logger) {
        logger.critical("The worker cannot go on.", metadata: .of([.error: "\(error)"]))
        setNotReady("The worker cannot go on: \(error)")
        let action = failure.withLock { failure in
            failure.error = error
            return failure.action
        }
        action?(error)
    }

    /// The worker is at its end; why it failed, where it did, stays to be read.
    package func setStopped() {
        guard failure.withLock({ $0.error == nil }) else { return }
        setNotReady("The worker has stopped.")
    }

    package func setPartitions(_ partitions: [PartitionStatus]) { state.withLock { $0.partitions = partitions } }

    package func beat() { state.withLock { $0.lastProgress = .now } }
}
