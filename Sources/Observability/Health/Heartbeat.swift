import Synchronization

/// Tells whether a thread still makes progress: the thread beats, the endpoint asks for the age of the last beat.
package final class Heartbeat: Sendable {
    private let origin = ContinuousClock.now
    private let lastBeatNanoseconds = Atomic<Int64>(0)

    /// Counts its own making as the first beat.
    package init() {}

    /// Called by the worker's thread each time round its loop, also while it waits for a store; costs a clock reading.
    package func beat() { lastBeatNanoseconds.store(elapsedNanoseconds(), ordering: .relaxed) }

    /// Time since the last beat.
    package var age: Duration { .nanoseconds(elapsedNanoseconds() - lastBeatNanoseconds.load(ordering: .relaxed)) }

    private func elapsedNanoseconds() -> Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - origin).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
