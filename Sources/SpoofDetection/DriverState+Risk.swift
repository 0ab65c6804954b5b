import Model
import Support

extension DriverState.Risk {
    /// Lets the evidence fade until `now`, in stream time.
    @inline(__always)
    mutating func fade(until now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard evidence > 0 || sky > 0 else { return }
        var elapsed = at.seconds(until: now)
        guard elapsed > 0 else { return }
        if isFlagged { elapsed = min(elapsed, settings.flaggedSilenceSeconds) }
        at = ShortTime(now)
        let rest = Self.rest(afterHalfLives: elapsed / settings.halfLifeSeconds)
        let isHeld = holds(at: now, settings)
        evidence = faded(evidence, to: rest, isHeld && holdsRelocation ? settings.heldEvidence : 0)
        sky = faded(sky, to: rest, isHeld && !holdsRelocation ? settings.heldSkyEvidence : 0)
        if evidence == 0, sky == 0, !isFlagged, windows == 0, !isAnomalous { self = DriverState.Risk() }
    }

    /// What is left of 1 after that many half-lives; for the time between two fixes, by a series right to a millionth.
    @inline(__always)
    private static func rest(afterHalfLives halfLives: Double) -> Float {
        guard halfLives < 0.1 else { return Float(Elementary.exp2(-halfLives)) }
        let x = halfLives * 0.693_147_180_559_945_3
        return Float(1 / (1 + x * (1 + x * (1 / 2 + x * (1 / 6)))))
    }

    /// `value` after a fading to `rest` of it, but not below `held` if it was over that.
    @inline(__always)
    private func faded(_ value: Float, to rest: Float, _ held: Double) -> Float {
        let left = max(value * rest, min(value, Float(held)))
        return left < Self.leastEvidence ? 0 : left
    }

    /// Less than this is none, in log-odds.
    private static let leastEvidence: Float = 0.001

    /// Adds a signal's log-likelihood ratio.
    @inline(__always)
    mutating func add(_ weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        add(capped: min(weight, settings.maximumSignal), at: now, settings)
    }

    /// Adds the sum of several signals, each of which was capped before.
    @inline(__always)
    mutating func add(capped weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard weight > 0 else { return }
        if evidence == 0, sky == 0 { at = ShortTime(now) }
        evidence = min(Float(settings.maximumEvidence), evidence + Float(weight))
    }

    /// Adds evidence of a fix that was taken at `fixedAt`, as far as its window holds more; answers how much was added.
    ///
    /// A window begins with the first evidence after the one before.
    mutating func addWithinWindow(
        _ weight: Double, of fixedAt: Timestamp, at now: Timestamp, _ settings: TrackingSettings.Risk
    ) -> Double {
        let age = windowBegan.seconds(until: fixedAt)
        if windowEvidence == 0 || age < 0 || age >= settings.windowSeconds {
            windowBegan = ShortTime(fixedAt)
            windowEvidence = 0
        }
        let added = min(Float(weight), Float(settings.maximumWindowEvidence) - windowEvidence)
        guard added > 0 else { return 0 }
        windowEvidence += added
        add(capped: Double(added), at: now, settings)
        return Double(added)
    }

    /// Adds a signal that a bad sky may be the cause of as well.
    @inline(__always)
    mutating func addSky(_ weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard weight > 0 else { return }
        if evidence == 0, sky == 0 { at = ShortTime(now) }
        sky = max(sky, min(Float(settings.maximumSkyEvidence), sky + Float(weight)))
    }

    /// Keeps the evidence of a jump from fading away while the driver goes on from where it led.
    mutating func hold(isRelocation: Bool, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        // The longer reach of the two stays.
        holdsRelocation = isRelocation || (holdsRelocation && holds(at: now, settings))
        heldUntil = UInt8(Self.minute(now.advanced(bySeconds: settings.holdSeconds)) + 1)
        if !holdsRelocation { sky = max(sky, Float(settings.heldSkyEvidence)) }
        if evidence == 0 { at = ShortTime(now) }
    }

    /// Lets go of what is held, and of all that a bad sky explains.
    mutating func release() {
        sky = 0
        heldUntil = 0
        holdsRelocation = false
    }

    /// Returns whether the evidence of a relocation is held.
    @inline(__always)
    func holdsRelocation(at now: Timestamp, _ settings: TrackingSettings.Risk) -> Bool {
        holdsRelocation && holds(at: now, settings)
    }

    /// Ends the hold of a relocation, after fixes that lead back from it.
    mutating func releaseRelocation() {
        heldUntil = 0
        holdsRelocation = false
    }

    private static func minute(_ time: Timestamp) -> Int {
        let minute = Int(time.milliseconds / 60_000) % 255
        return minute < 0 ? minute + 255 : minute
    }

    @inline(__always)
    func holds(at now: Timestamp, _ settings: TrackingSettings.Risk) -> Bool {
        guard heldUntil > 0 else { return false }
        let left = (Int(heldUntil) - 1 - Self.minute(now) + 255) % 255
        return Double(left) * 60 <= settings.holdSeconds + 60 && left > 0
    }

    /// Takes back a signal that turned out to have another cause.
    mutating func remove(_ weight: Double) {
        let left = evidence - Float(weight)
        evidence = left < Self.leastEvidence ? 0 : left
    }

    /// How likely the recent fixes are forged, in [0, 1].
    @inline(__always)
    func probability(_ settings: TrackingSettings.Risk) -> Double {
        1 / (1 + Elementary.exp(-settings.priorLogOdds - Double(max(evidence, sky))))
    }

    /// The same, where the answer for no evidence at all is known.
    @inline(__always)
    func probability(withoutEvidence: Double, _ settings: TrackingSettings.Risk) -> Double {
        evidence == 0 && sky == 0 ? withoutEvidence : probability(settings)
    }

    /// Sets and releases the flag.
    @inline(__always)
    mutating func settleFlag(probability: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        // Between rare fixes the evidence of a relocation fades; it counts on while it makes a suspect.
        let isHeld = windows > 0 && probability >= settings.suspectRisk && holdsRelocation(at: now, settings)
        if probability >= settings.flagRisk || isHeld {
            let current = UInt8(truncatingIfNeeded: Int64(Double(now.milliseconds) / (settings.windowSeconds * 1000)))
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
        // A relocation without support keeps the driver hidden, however well the fixes there agree.
        if isFlagged, probability < settings.releaseRisk, !holdsRelocation(at: now, settings) {
            isFlagged = false
            flaggedAt = ShortTime()
        }
    }
}
