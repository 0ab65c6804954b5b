import Support

extension DriverState.Risk {
    /// Decays the evidence until `now`, in stream time.
    @inline(__always) mutating func decay(until now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard evidence > 0 || ambiguousEvidence > 0 else { return }
        var elapsed = at.seconds(until: now)
        guard elapsed > 0 else { return }
        if isFlagged { elapsed = min(elapsed, settings.flaggedSilenceSeconds) }
        at = ShortTime(now)
        let remainder = Self.remainder(afterHalfLives: elapsed / settings.halfLifeSeconds)
        let isHeld = isHolding(at: now, settings)
        evidence = decayed(evidence, to: remainder, isHeld && holdsRelocation ? settings.heldEvidence : 0)
        ambiguousEvidence = decayed(
            ambiguousEvidence, to: remainder, isHeld && !holdsRelocation ? settings.heldAmbiguousEvidence : 0)
        if evidence == 0, ambiguousEvidence == 0, !isFlagged, windows == 0, !isAnomalous { self = DriverState.Risk() }
    }

    /// Returns 0.5^`halfLives`; uses a series accurate to 1e-6 below 0.1 half-lives.
    @inline(__always) private static func remainder(afterHalfLives halfLives: Double) -> Float {
        guard halfLives < 0.1 else { return Float(Elementary.exp2(-halfLives)) }
        let x = halfLives * 0.693_147_180_559_945_3
        return Float(1 / (1 + x * (1 + x * (1 / 2 + x * (1 / 6)))))
    }

    /// Returns `value` times `remainder`, but at least `minimum`, or `value` if that is less than `minimum`.
    @inline(__always) private func decayed(_ value: Float, to remainder: Float, _ minimum: Double) -> Float {
        let decayed = max(value * remainder, min(value, Float(minimum)))
        return decayed < Self.leastEvidence ? 0 : decayed
    }

    /// Evidence, in log-odds, below which it is reset to 0.
    private static let leastEvidence: Float = 0.001

    /// Adds a weight that the caller has already limited.
    @inline(__always) mutating func add(capped weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard weight > 0 else { return }
        if evidence == 0, ambiguousEvidence == 0 { at = ShortTime(now) }
        evidence = min(Float(settings.maximumEvidence), evidence + Float(weight))
    }

    /// Adds evidence of a fix taken at `fixedAt`, up to the limit of its window; returns the amount added.
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

    /// Adds evidence that poor GNSS conditions can also cause.
    @inline(__always)
    mutating func addAmbiguousEvidence(_ weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard weight > 0 else { return }
        if evidence == 0, ambiguousEvidence == 0 { at = ShortTime(now) }
        ambiguousEvidence = max(
            ambiguousEvidence, min(Float(settings.maximumAmbiguousEvidence), ambiguousEvidence + Float(weight)))
    }

    /// Stops the decay of a jump's evidence at a minimum for ``TrackingSettings/Risk/holdSeconds``.
    mutating func hold(isRelocation: Bool, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        // The hold of a relocation, which is stronger, is not replaced by another hold.
        holdsRelocation = isRelocation || (holdsRelocation && isHolding(at: now, settings))
        heldUntil = UInt8(Self.minute(now.advanced(bySeconds: settings.holdSeconds)) + 1)
        if !holdsRelocation { ambiguousEvidence = max(ambiguousEvidence, Float(settings.heldAmbiguousEvidence)) }
        if evidence == 0 { at = ShortTime(now) }
    }

    mutating func clearAmbiguousEvidence() {
        ambiguousEvidence = 0
        heldUntil = 0
        holdsRelocation = false
    }

    /// Returns whether the evidence of a relocation is held at its minimum.
    @inline(__always) func holdsRelocation(at now: Timestamp, _ settings: TrackingSettings.Risk) -> Bool {
        holdsRelocation && isHolding(at: now, settings)
    }

    /// Ends the hold of a relocation after fixes that lead back.
    mutating func releaseRelocation() {
        heldUntil = 0
        holdsRelocation = false
    }

    private static func minute(_ time: Timestamp) -> Int {
        let minute = Int(time.milliseconds / 60_000) % 255
        return minute < 0 ? minute + 255 : minute
    }

    @inline(__always) func isHolding(at now: Timestamp, _ settings: TrackingSettings.Risk) -> Bool {
        guard heldUntil > 0 else { return false }
        let minutesLeft = (Int(heldUntil) - 1 - Self.minute(now) + 255) % 255
        return Double(minutesLeft) * 60 <= settings.holdSeconds + 60 && minutesLeft > 0
    }

    /// Removes evidence that turned out to have an honest cause.
    mutating func remove(_ weight: Double) {
        let remaining = evidence - Float(weight)
        evidence = remaining < Self.leastEvidence ? 0 : remaining
    }

    /// Returns the probability that the recent fixes are forged, from 0 to 1.
    @inline(__always) func probability(_ settings: TrackingSettings.Risk) -> Double {
        1 / (1 + Elementary.exp(-settings.priorLogOdds - Double(max(evidence, ambiguousEvidence))))
    }

    /// Returns the probability, using a precomputed value if there is no evidence.
    @inline(__always) func probability(withoutEvidence: Double, _ settings: TrackingSettings.Risk) -> Double {
        evidence == 0 && ambiguousEvidence == 0 ? withoutEvidence : probability(settings)
    }

    @inline(__always)
    mutating func updateFlag(probability: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        // Between infrequent fixes, the evidence of a relocation decays below the flag risk. The window still counts
        // while the driver is a suspect.
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
        // An unsupported relocation keeps the driver hidden, even if later fixes agree with it.
        if isFlagged, probability < settings.releaseRisk, !holdsRelocation(at: now, settings) {
            isFlagged = false
            flaggedAt = ShortTime()
        }
    }
}
