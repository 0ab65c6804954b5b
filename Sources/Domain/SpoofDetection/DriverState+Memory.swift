import Support

extension TrackingSettings {
    /// Longest silence after which any state of a driver is kept, in seconds of stream time.
    ///
    /// A restart reads this much of the changelog.
    package var longestMemorySeconds: Double { max(memorySeconds, risk.holdSeconds) }
}

extension DriverState {
    /// Silence after which the whole state is discarded, in seconds of stream time.
    ///
    /// A flag and the evidence of a relocation outlast ``TrackingSettings/memorySeconds``; otherwise a pause would
    /// clear them.
    @inline(__always)
    package func memorySeconds(_ settings: TrackingSettings) -> Double {
        risk.isFlagged || risk.isHolding(at: seenAt, settings.risk)
            ? settings.longestMemorySeconds : settings.memorySeconds
    }

    /// Returns what is kept after a silence of more than ``TrackingSettings/memorySeconds``: flag and held evidence.
    ///
    /// Also used for a driver evaluated at a time that stream time has not reached.
    func retainedState(at now: Timestamp, _ settings: TrackingSettings) -> DriverState {
        var state = DriverState()
        guard now.seconds(since: seenAt) <= memorySeconds(settings),
            risk.isFlagged || risk.isHolding(at: now, settings.risk)
        else { return state }
        state.risk = risk
        state.topSignals = topSignals
        if now < seenAt { state.risk.at = ShortTime(now) }
        // ``DisturbanceMemory`` has discarded the anomaly long before.
        state.risk.isAnomalous = false
        return state
    }
}
