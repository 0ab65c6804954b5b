import Support

extension TrackingSettings {
    /// Longest silence after which any state of a driver is kept, in seconds of stream time; a restart reads as much.
    package var longestMemorySeconds: Double { max(memorySeconds, risk.holdSeconds) }
}

extension DriverState {
    /// Silence after which the whole state is discarded, in seconds; longer with a flag or a relocation.
    @inline(__always) package func memorySeconds(_ settings: TrackingSettings) -> Double {
        risk.isFlagged || risk.isHolding(at: seenAt, settings.risk)
            ? settings.longestMemorySeconds : settings.memorySeconds
    }

    /// Returns what is kept after a silence of more than ``TrackingSettings/memorySeconds``: flag and held evidence.
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
