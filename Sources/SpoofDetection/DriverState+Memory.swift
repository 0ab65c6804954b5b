import Model
import Support

extension TrackingSettings {
    /// The longest silence, in seconds of stream time, after which anything is remembered of a driver: a restart reads
    /// this much of the changelog.
    package var longestMemorySeconds: Double { max(memorySeconds, risk.holdSeconds) }
}

extension DriverState {
    /// Silence after which the driver is forgotten altogether, in seconds of stream time.
    ///
    /// A flag outlasts ``TrackingSettings/memorySeconds``, and so does what is held of a relocation: a forger would only
    /// have to pause.
    @inline(__always)
    package func memorySeconds(_ settings: TrackingSettings) -> Double {
        risk.isFlagged || risk.holds(at: seenAt, settings.risk)
            ? settings.longestMemorySeconds : settings.memorySeconds
    }

    /// What is left of a driver who was silent for longer than ``TrackingSettings/memorySeconds``, or was judged by a
    /// time that has not come: the flag, and the evidence that is held.
    func rest(at now: Timestamp, _ settings: TrackingSettings) -> DriverState {
        var rest = DriverState()
        guard now.seconds(since: seenAt) <= memorySeconds(settings),
            risk.isFlagged || risk.holds(at: now, settings.risk)
        else { return rest }
        rest.risk = risk
        rest.causes = causes
        if now < seenAt { rest.risk.at = ShortTime(now) }
        // What the partition's other drivers excuse is forgotten long before.
        rest.risk.isAnomalous = false
        return rest
    }
}
