import Support

extension TrackingSettings {
    /// Longest silence over which a driver's state is kept, in seconds of stream time; a restore reads this far back.
    package var longestMemorySeconds: Double { max(memorySeconds, risk.holdSeconds) }
}

extension DriverState {
    /// Returns the silence after which the whole state is discarded, in seconds; longer with a flag or held evidence.
    @inline(__always) package func memorySeconds(_ settings: TrackingSettings) -> Double {
        risk.isFlagged || risk.isHolding(at: seenAt, settings.risk)
            ? settings.longestMemorySeconds : settings.memorySeconds
    }

    /// Returns the state after a silence of over ``TrackingSettings/memorySeconds``: only flag and held evidence.
    func retainedState(at now: Timestamp, _ settings: TrackingSettings) -> DriverState {
        var state = DriverState()
        guard now.seconds(since: seenAt) <= memorySeconds(settings),
            risk.isFlagged || risk.isHolding(at: now, settings.risk)
        else { return state }
        state.risk = risk
        state.topSignals = topSignals
        if now < seenAt { state.risk.at = ShortTime(now) }
        // ``DisturbanceMemory`` has already discarded the anomaly.
        state.risk.isAnomalous = false
        return state
    }
}
