/// How long a process may take its lanes for its own without having looked.
///
/// A process that was stopped (by a signal, by its hypervisor, by swapping) hears of what it missed only by and by, and
/// would meanwhile write what its successor has written; so it looks at the clock itself.
struct LaneLease {
    /// After so long without a heartbeat the group gives the lanes to others.
    let sessionTimeout: Duration
    private var lastLook: ContinuousClock.Instant

    init(sessionTimeout: Duration, now: ContinuousClock.Instant = .now) {
        self.sessionTimeout = sessionTimeout
        lastLook = now
    }

    /// Looks at the clock: whether the process was awake often enough since the last time.
    mutating func isKept(at now: ContinuousClock.Instant = .now) -> Bool {
        defer { lastLook = now }
        return lastLook.duration(to: now) <= sessionTimeout
    }

    /// Begins again, after work that may take long and writes nothing.
    mutating func renew(at now: ContinuousClock.Instant = .now) { lastLook = now }
}
