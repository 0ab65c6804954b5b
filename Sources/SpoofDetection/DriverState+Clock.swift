import Model
import Support

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
        let span = other.since.seconds(until: receivedAt)
        // Of a device time that stands still, the lag grows by all of the time that passes: that is no clock.
        return Int(other.fixes) >= settings.fixesBeforeNewClock && span >= settings.newClockSpanSeconds
            && abs(difference) <= span / 2
    }

    /// Takes on the clock that the last fixes agreed on.
    mutating func takeNewClock(lagMilliseconds lag: Int64) {
        known.offsetMilliseconds = lag
        known.isKnown = true
        other = Other()
        recent = Recent()
    }

    /// The fixes agree with the clock known again.
    @inline(__always)
    mutating func settle() {
        if other.fixes > 0, known.isKnown { other = Other() }
    }

    /// Brings the offset up to date with a fix in order.
    ///
    /// It is the least receipt minus device time of the window so far and of the one before, so one stamp that is ahead
    /// shifts the fixes after it for two windows at most, and a delay of the network is not taken for a slow clock
    /// before it has lasted as long as one.
    ///
    /// A first lag of over ``TrackingSettings/Clock/maximumFirstLagSeconds`` is that of a slow clock or of a fix that
    /// was stored: fixes that agree tell a clock, and until then the device's own time dates them.
    @inline(__always)
    mutating func observe(
        lagMilliseconds lag: Int64, isCached: Bool, receivedAt: Timestamp, _ settings: TrackingSettings.Clock
    ) {
        // A cached fix came late by an unknown time: only a smaller offset than the one known says anything.
        if isCached, lag > (known.isKnown ? known.offsetMilliseconds : 0) { return }
        if !known.isKnown, Double(lag) > settings.maximumFirstLagSeconds * 1000 {
            if isNewClock(lagMilliseconds: lag, receivedAt: receivedAt, settings) {
                takeNewClock(lagMilliseconds: lag)
            }
            return
        }
        if !known.isKnown || lag < known.offsetMilliseconds {
            known.isKnown = true
            known.offsetMilliseconds = lag
            recent.risenMilliseconds = 0
        }
        let risen = UInt32(clamping: lag &- known.offsetMilliseconds)
        let age = recent.since.seconds(until: receivedAt)
        if recent.fixes == 0 || age < 0 {
            recent = Recent(risenMilliseconds: risen, since: ShortTime(receivedAt), fixes: 1)
            return
        }
        recent.risenMilliseconds = min(recent.risenMilliseconds, risen)
        if recent.fixes < .max { recent.fixes += 1 }
        guard age >= settings.offsetWindowSeconds, Int(recent.fixes) >= settings.offsetWindowFixes else { return }
        known.offsetMilliseconds &+= Int64(recent.risenMilliseconds)
        recent = Recent()
    }
}
