import Synchronization

/// How a worker is, for the health endpoint: written by the worker's thread, read from anywhere.
package final class WorkerStatus: Sendable {
    /// A lane that the worker holds.
    package struct Lane: Hashable, Sendable {
        package enum State: String, Sendable {
            /// Reading the stage's own output, or the store's clock, to know where to go on.
            case restoring
            /// Processing records.
            case running
            /// Held up by the store or the broker; goes on where it stopped.
            case waiting
        }

        /// The first input of a stage, or the topic of a sink; without the prefix.
        package var topic: String
        package var lane: Int32
        package var state: State
    }

    package struct Snapshot: Sendable {
        package var isReady: Bool
        /// One sentence for an operator while the worker is not ready; `nil` when it is.
        package var reason: String?
        package var lanes: [Lane]
        /// When the thread last came round its loop.
        package var lastProgress: ContinuousClock.Instant
    }

    private let state = Mutex(
        Snapshot(isReady: false, reason: "The worker is starting.", lanes: [], lastProgress: .now))

    package init() {}

    package var snapshot: Snapshot { state.withLock { $0 } }

    func setReady() {
        state.withLock { state in
            state.isReady = true
            state.reason = nil
        }
    }

    func setNotReady(_ reason: String) {
        state.withLock { state in
            state.isReady = false
            state.reason = reason
        }
    }

    func setLanes(_ lanes: [Lane]) { state.withLock { $0.lanes = lanes } }

    func beat() { state.withLock { $0.lastProgress = .now } }
}
