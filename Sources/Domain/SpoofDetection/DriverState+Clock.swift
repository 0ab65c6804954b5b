import Support

/// Offset of the device clock from the receipt time.
extension DriverState.Clock {
    /// Returns whether the device time of `fix` is plausible at `receivedAt`.
    @inline(__always)
    func accepts(_ fix: Fix, deviceAt: Timestamp, receivedAt: Timestamp, _ settings: TrackingSettings.Clock) -> Bool {
        let lag = Double(receivedAt.milliseconds &- deviceAt.milliseconds) / 1000
        let offset = known.isKnown ? Double(known.offsetMilliseconds) / 1000 : 0
        // A device time close to the receipt is always accepted, because it may come from a second device.
        let ahead = min(-lag, offset - lag)
        let behind = min(lag, lag - offset)
        return ahead <= settings.maximumAheadSeconds && (fix.isCached || behind <= settings.maximumBehindSeconds)
    }

    /// Counts a fix that contradicts the current offset; returns whether enough such fixes agree on a new offset.
    mutating func confirmsCandidate(
        lagMilliseconds lag: Int64, receivedAt: Timestamp, _ settings: TrackingSettings.Clock
    ) -> Bool {
        let difference = Double(lag &- candidate.offsetMilliseconds) / 1000
        if candidate.fixes == 0 || abs(difference) > settings.newClockToleranceSeconds {
            candidate.fixes = 1
            candidate.offsetMilliseconds = lag
            candidate.since = ShortTime(receivedAt)
        } else if candidate.fixes < .max {
            candidate.fixes += 1
        }
        let span = candidate.since.seconds(until: receivedAt)
        // With a frozen device time, the lag grows by the elapsed time, so the fixes do not agree on an offset.
        return Int(candidate.fixes) >= settings.fixesBeforeNewClock && span >= settings.newClockSpanSeconds
            && abs(difference) <= span / 2
    }

    mutating func adoptOffset(lagMilliseconds lag: Int64) {
        known.offsetMilliseconds = lag
        known.isKnown = true
        candidate = Candidate()
        window = OffsetWindow()
    }

    /// Discards the candidate offset when a fix agrees with the current offset again.
    @inline(__always) mutating func discardCandidate() {
        if candidate.fixes > 0, known.isKnown { candidate = Candidate() }
    }

    /// Updates the offset with a fix in order.
    ///
    /// The offset is the smallest lag (receipt minus device time) of the current and the previous window. One timestamp
    /// ahead of time affects at most two windows, and a network delay raises the offset only after a whole window. A
    /// first lag over ``TrackingSettings/Clock/maximumFirstLagSeconds`` means a slow clock or a stored fix, so until
    /// several fixes agree on an offset, the device time is used without correction.
    @inline(__always) mutating func observe(
        lagMilliseconds lag: Int64, isCached: Bool, receivedAt: Timestamp, _ settings: TrackingSettings.Clock
    ) {
        // The delay of a cached fix is unknown, so it can only lower the offset.
        if isCached, lag > (known.isKnown ? known.offsetMilliseconds : 0) { return }
        if !known.isKnown, Double(lag) > settings.maximumFirstLagSeconds * 1000 {
            if confirmsCandidate(lagMilliseconds: lag, receivedAt: receivedAt, settings) {
                adoptOffset(lagMilliseconds: lag)
            }
            return
        }
        if !known.isKnown || lag < known.offsetMilliseconds {
            known.isKnown = true
            known.offsetMilliseconds = lag
            window.risenMilliseconds = 0
        }
        let risen = UInt32(clamping: lag &- known.offsetMilliseconds)
        let age = window.since.seconds(until: receivedAt)
        if window.fixes == 0 || age < 0 {
            window = OffsetWindow(risenMilliseconds: risen, since: ShortTime(receivedAt), fixes: 1)
            return
        }
        window.risenMilliseconds = min(window.risenMilliseconds, risen)
        if window.fixes < .max { window.fixes += 1 }
        guard age >= settings.offsetWindowSeconds, Int(window.fixes) >= settings.offsetWindowFixes else { return }
        known.offsetMilliseconds &+= Int64(window.risenMilliseconds)
        window = OffsetWindow()
    }
}
