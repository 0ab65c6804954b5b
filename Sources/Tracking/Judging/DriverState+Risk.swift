#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension DriverState.Risk {
    /// Lets the evidence fade until `now`, in lane time.
    @inline(__always)
    mutating func fade(until now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard evidence > 0 else { return }
        let elapsed = at.seconds(until: now)
        guard elapsed > 0 else { return }
        at = ShortTime(now)
        evidence *= Float(exp2(-elapsed / settings.halfLifeSeconds))
        if evidence < 0.001 {
            evidence = 0
            if !isFlagged, windows == 0, !isAnomalous { self = DriverState.Risk() }
        }
    }

    /// Adds a signal's log-likelihood ratio.
    @inline(__always)
    mutating func add(_ weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        add(capped: min(weight, settings.maximumSignal), at: now, settings)
    }

    /// Adds the sum of several signals, each of which was capped before.
    @inline(__always)
    mutating func add(capped weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard weight > 0 else { return }
        if evidence == 0 { at = ShortTime(now) }
        evidence = min(Float(settings.maximumEvidence), evidence + Float(weight))
    }

    /// Takes back a signal that turned out to have another cause.
    mutating func remove(_ weight: Double) { evidence = max(0, evidence - Float(weight)) }

    /// How likely the recent fixes are forged, in [0, 1].
    @inline(__always)
    func probability(_ settings: TrackingSettings.Risk) -> Double {
        1 / (1 + exp(-settings.priorLogOdds - Double(evidence)))
    }

    /// Sets and releases the flag.
    @inline(__always)
    mutating func settleFlag(probability: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        if probability >= settings.flagRisk {
            let current = UInt32(truncatingIfNeeded: Int64(Double(now.milliseconds) / (settings.windowSeconds * 1000)))
            if windows == 0 || current != window {
                window = current
                if windows < .max { windows += 1 }
            }
            if !isFlagged, Int(windows) >= settings.flagWindows {
                isFlagged = true
                flaggedAt = ShortTime(now)
            }
        } else if windows > 0 {
            windows = 0
            window = 0
        }
        if isFlagged, probability < settings.releaseRisk {
            isFlagged = false
            flaggedAt = ShortTime()
        }
    }
}

extension DriverState.Warnings {
    /// Length of a window, in milliseconds; a code falls silent after one to two windows without it.
    private static let windowMilliseconds: Int64 = 10_000

    /// Lets codes that were not raised lately fall silent.
    @inline(__always)
    mutating func fade(until now: Timestamp) {
        guard recent != 0 || older != 0 else { return }
        let current = UInt32(truncatingIfNeeded: now.milliseconds / Self.windowMilliseconds)
        guard current != window else { return }
        older = current == window &+ 1 ? recent : 0
        recent = 0
        window = current
        if older == 0 { self = DriverState.Warnings() }
    }

    /// Notes that `warning` holds now, and tells whether that is news: the code was silent or its action another.
    mutating func raise(_ reason: Reasons, _ action: LocationWarning.Action, at now: Timestamp) -> Bool {
        let index = reason.rawValue.trailingZeroBitCount
        precondition(index < 16, "A warning has exactly one code, and there are sixteen at most.")
        let bit = UInt16(1) << UInt16(index)
        let wasActive = (recent | older) & bit != 0
        if recent == 0, older == 0 {
            window = UInt32(truncatingIfNeeded: now.milliseconds / Self.windowMilliseconds)
        }
        recent |= bit
        let shift = UInt32(index * 2)
        let last = UInt8((actions >> shift) & 3)
        actions = actions & ~(3 << shift) | UInt32(action.rawValue) << shift
        return !wasActive || last != action.rawValue
    }
}
