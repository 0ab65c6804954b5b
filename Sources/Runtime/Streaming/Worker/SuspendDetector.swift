import Synchronization

/// Notices that the process was stopped: by a signal, by its hypervisor, by swapping.
///
/// A process that was stopped for longer than its session has lost its partitions, learns of it too late, and would
/// meanwhile write what its successor has written. The worker's own thread may be busy or blocked for good reasons.
/// So a thread that does nothing else reads the clock at intervals, and takes a long gap between two readings for a
/// stop.
final class SuspendDetector: Sendable {
    /// Pauses of more than this are sleep.
    let limit: Duration
    private let start: ContinuousClock.Instant
    /// When the clock was looked at last, in nanoseconds since ``start``.
    private let lastLook: Atomic<Int64>
    private let wasAsleep = Atomic(false)
    private let isEnded = Atomic(false)

    /// A watch that is not started yet; see ``begin()``.
    ///
    /// `sessionTimeout`: after so long without a heartbeat the group gives the partitions to others. The last heartbeat
    /// before a pause may be a quarter of that old, and the limit leaves room for it.
    init(sessionTimeout: Duration, now: ContinuousClock.Instant = .now) {
        limit = sessionTimeout * 7 / 10
        start = now
        lastLook = Atomic(0)
    }

    /// Has a thread look at the clock from now on, until ``end()``.
    func begin() {
        forget()
        let milliseconds = Int(max(10, limit.wholeMilliseconds / 16))
        WorkerThread.start { [self] in
            while !isEnded.load(ordering: .relaxed) {
                look(at: .now)
                WorkerThread.sleep(milliseconds: milliseconds)
            }
        }
    }

    /// The thread ends soon after.
    func end() { isEnded.store(true, ordering: .relaxed) }

    /// Looks at the clock.
    func look(at now: ContinuousClock.Instant) {
        if isLong(until: now) { wasAsleep.store(true, ordering: .relaxed) }
        // A thread that sees this value sees the line above, too.
        lastLook.store(start.duration(to: now).nanoseconds, ordering: .releasing)
    }

    /// Whether the process was asleep at any time since ``forget()``.
    func hasSlept(at now: ContinuousClock.Instant = .now) -> Bool {
        isLong(until: now) || wasAsleep.load(ordering: .relaxed)
    }

    /// Forgets the stop, once the worker has dropped what it held.
    func forget(at now: ContinuousClock.Instant = .now) {
        lastLook.store(start.duration(to: now).nanoseconds, ordering: .releasing)
        wasAsleep.store(false, ordering: .relaxed)
    }

    /// Whether the clock was not looked at for longer than the limit.
    func isLong(until now: ContinuousClock.Instant) -> Bool {
        start.duration(to: now).nanoseconds - lastLook.load(ordering: .acquiring) > limit.nanoseconds
    }
}
