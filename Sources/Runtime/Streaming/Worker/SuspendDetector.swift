import Synchronization

/// Detector of suspensions of the process: by a signal, by its hypervisor, or by swapping.
///
/// A process suspended beyond its session timeout has lost its partitions, notices that too late, and would repeat
/// writes of the next owner. The worker's thread may legitimately be blocked, so a separate thread reads the clock at
/// intervals and interprets a long gap as a suspension.
final class SuspendDetector: Sendable {
    /// Gap between two checks above which the process counts as suspended.
    let limit: Duration
    private let start: ContinuousClock.Instant
    /// Time of the last check, in nanoseconds since ``start``.
    private let lastCheck: Atomic<Int64>
    private let hasGap = Atomic(false)
    private let isEnded = Atomic(false)

    /// Creates a detector; ``begin()`` starts it.
    ///
    /// The limit is 70 % of the session timeout, because the last heartbeat before a suspension may be up to a quarter
    /// of the timeout old.
    init(sessionTimeout: Duration, now: ContinuousClock.Instant = .now) {
        limit = sessionTimeout * 7 / 10
        start = now
        lastCheck = Atomic(0)
    }

    /// Starts the thread, which runs until ``end()``.
    func begin() {
        reset()
        let milliseconds = Int(max(10, limit.wholeMilliseconds / 16))
        WorkerThread.start { [self] in
            while !isEnded.load(ordering: .relaxed) {
                check(at: .now)
                WorkerThread.sleep(milliseconds: milliseconds)
            }
        }
    }

    /// Ends the thread after its current sleep.
    func end() { isEnded.store(true, ordering: .relaxed) }

    func check(at now: ContinuousClock.Instant) {
        if isOverdue(at: now) { hasGap.store(true, ordering: .relaxed) }
        // The releasing order makes a thread that reads this value also see the new `hasGap`.
        lastCheck.store(start.duration(to: now).nanoseconds, ordering: .releasing)
    }

    /// Returns whether the process was suspended since ``reset()``.
    func wasSuspended(at now: ContinuousClock.Instant = .now) -> Bool {
        isOverdue(at: now) || hasGap.load(ordering: .relaxed)
    }

    /// Discards detected suspensions, for example after the worker has dropped its partitions.
    func reset(at now: ContinuousClock.Instant = .now) {
        lastCheck.store(start.duration(to: now).nanoseconds, ordering: .releasing)
        hasGap.store(false, ordering: .relaxed)
    }

    /// Returns whether the last check is older than the limit.
    func isOverdue(at now: ContinuousClock.Instant) -> Bool {
        start.duration(to: now).nanoseconds - lastCheck.load(ordering: .acquiring) > limit.nanoseconds
    }
}
