/// The device's clock against the receipt.
extension DriverState.Clock {
    /// Whether the device time of `fix` is one that the driver's clock can show at `receivedAt`.
    @inline(__always)
    func believes(_ fix: Fix, deviceAt: Timestamp, receivedAt: Timestamp, _ settings: TrackingSettings.Clock) -> Bool {
        let lag = Double(receivedAt.milliseconds &- deviceAt.milliseconds) / 1000
        let offset = known.isKnown ? Double(known.offsetMilliseconds) / 1000 : 0
        // A clock that is right by the receipt is right, whatever the driver's other device showed.
        let ahead = min(-lag, offset - lag)
        let behind = min(lag, lag - offset)
        return ahead <= settings.maximumAheadSeconds && (fix.isCached || behind <= settings.maximumBehindSeconds)
    }

    /// Counts a fix that contradicts the clock known, and tells whether enough of them agree on another.
    mutating func isNewClock(lagMilliseconds lag: Int64, receivedAt: Timestamp, _ settings: TrackingSettings.Clock)
        -> Bool
    {
        let difference = Double(lag &- other.offsetMilliseconds) / 1000
        if other.fixes == 0 || abs(difference) > settings.newClockToleranceSeconds {
            other.fixes = 1
            other.offsetMilliseconds = lag
            other.since = ShortTime(receivedAt)
        } else if other.fixes < .max {
            other.fixes += 1
        }
        return Int(other.fixes) >= settings.fixesBeforeNewClock
            && other.since.seconds(until: receivedAt) >= settings.newClockSpanSeconds
    }

    /// Takes on the clock that the last fixes agreed on.
    mutating func takeNewClock(lagMilliseconds lag: Int64) {
        known.offsetMilliseconds = lag
        known.isKnown = true
        other = Other()
    }

    /// The fixes agree with the clock known again.
    @inline(__always)
    mutating func settle() {
        if other.fixes > 0 { other = Other() }
    }

    /// Brings the running minimum up to date with a fix in order; `elapsedSeconds` passed since the last record.
    @inline(__always)
    mutating func observe(
        lagMilliseconds lag: Int64, isCached: Bool, elapsedSeconds: Double, _ settings: TrackingSettings.Clock
    ) {
        if !known.isKnown {
            // A cached fix came late by an unknown time: its clock is taken for right until a live one shows better.
            if isCached, lag > 0 { return }
            known.isKnown = true
            known.offsetMilliseconds = lag
        } else if lag <= known.offsetMilliseconds {
            known.offsetMilliseconds = lag
        } else if !isCached {
            let allowed = Int64((settings.offsetDecayPerSecond * elapsedSeconds * 1000).halfAwayFromZero)
            known.offsetMilliseconds &+= min(lag &- known.offsetMilliseconds, allowed)
        }
    }
}
