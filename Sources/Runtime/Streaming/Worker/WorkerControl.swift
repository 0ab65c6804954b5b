import Synchronization

/// Stop requests to a worker's thread.
package final class WorkerControl: Sendable {
    package enum Command: Int {
        case run
        /// Finish the batch, flush, commit, leave the group.
        case stop
        /// Release everything at once, as if the process had crashed.
        case abandon
    }

    private let raw = Atomic<Int>(Command.run.rawValue)

    var command: Command { Command(rawValue: raw.load(ordering: .relaxed)) ?? .run }
    package var isRunning: Bool { command == .run }

    /// Requests a command; effective if it is stronger than the current one (run < stop < abandon).
    package func request(_ command: Command) {
        var current = raw.load(ordering: .relaxed)
        while current < command.rawValue {
            let result = raw.weakCompareExchange(expected: current, desired: command.rawValue, ordering: .relaxed)
            if result.exchanged { return }
            current = result.original
        }
    }

    /// Blocks the thread for `duration`, or until a stop is requested.
    /// - Returns: whether the worker continues.
    @discardableResult
    package func pause(for duration: Duration) -> Bool {
        let end = ContinuousClock.now + duration
        while isRunning, ContinuousClock.now < end { WorkerThread.sleep(milliseconds: 20) }
        return isRunning
    }
}
