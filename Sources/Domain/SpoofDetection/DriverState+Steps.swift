import Support

extension DriverState {
    mutating func forgetHabits() {
        fields = Fields()
        headings = Headings()
        rhythm = Rhythm()
        steps = Steps()
        equalRun = EqualRun()
        drift = Drift()
    }

    /// Returns whether the usual interval of the device exceeds ``TrackingSettings/Jumps/graceGapSeconds``.
    @inline(__always) func reportsRarely(_ settings: TrackingSettings) -> Bool {
        Double(steps.intervalSeconds) > settings.jumps.graceGapSeconds
    }

    /// Interrupts the sequence of steps; habits stay.
    @inline(__always) mutating func interruptSteps() {
        steps.interrupt()
        equalRun = EqualRun()
        drift.east = 0
        drift.north = 0
    }

    /// Returns the noise per axis that the filter has learned from recent positions, in metres.
    func learnedNoiseMeters(_ settings: SmoothingSettings) -> Double {
        let stated = max(settings.minimumNoiseMeters, lastAccepted.accuracy.meters / settings.accuracyRadiusPerSigma)
        return stated * Elementary.exp(Double(motion.logNoiseScale) / 2)
    }
}

extension DriverState.Steps {
    /// Duration of the last step in seconds; 0 if absent.
    @inline(__always) var seconds: Double { Double(milliseconds) / 1000 }

    @inline(__always) var meters: Double {
        (Double(east) * Double(east) + Double(north) * Double(north)).squareRoot() * TrackStep.unitMeters
    }

    @inline(__always) var meanMetersPerSecond: Double? { milliseconds > 0 ? meters / seconds : nil }

    @inline(__always) var speedMetersPerSecond: Double? { speed == .max ? nil : Double(speed) / 100 }

    @inline(__always) mutating func record(_ step: TrackStep) {
        let unit = TrackStep.unitMeters
        east = Int16(max(-32_767, min(32_767, (step.east / unit).halfAwayFromZero)))
        north = Int16(max(-32_767, min(32_767, (step.north / unit).halfAwayFromZero)))
        milliseconds = UInt16(max(1, min(65_535, (step.seconds * 1000).halfAwayFromZero)))
        speed = step.speed.map { UInt16(min(65_534, ($0 * 100).halfAwayFromZero)) } ?? .max
    }

    @inline(__always) fileprivate mutating func interrupt() {
        milliseconds = 0
        speed = .max
        side = 0
    }

    /// Updates the usual interval of the device, in seconds, by at most 25 % (at least 1 s) per interval.
    @inline(__always) mutating func learnInterval(_ seconds: Double) {
        guard seconds > 0, abs(seconds - Double(intervalSeconds)) >= 0.5 else { return }
        changeInterval(to: seconds)
    }

    private mutating func changeInterval(to seconds: Double) {
        let interval = UInt8(max(1, min(255, seconds.halfAwayFromZero)))
        let step = max(1, intervalSeconds / 4)
        if intervalSeconds == 0 {
            intervalSeconds = interval
        } else if interval > intervalSeconds {
            intervalSeconds = min(interval, min(255 - step, intervalSeconds) + step)
        } else {
            intervalSeconds = max(interval, intervalSeconds - step)
        }
    }

    /// Smallest stored logarithm, in nepers: that of 0.2 m.
    private static let leastLogarithm = -1.61
    /// Metres added to a change before its logarithm is computed.
    private static let leastChangeMeters = 0.2
    /// Maximum change that is learned, in metres.
    private static let greatestChangeMeters = 100.0
    /// Units of ``recentUnsteadiness`` per neper.
    private static let recentUnits = 40.0
    /// Units of ``usualUnsteadiness`` per neper.
    private static let usualUnits = 10_000.0
    /// Steps averaged for the recent and the usual unsteadiness and for the share of alternating steps.
    private static let recentSteps: UInt8 = 8
    private static let usualSteps: UInt8 = 100
    private static let swerveSteps = 12.0

    /// Learns the change between two steps (m) and its side; returns the excess unsteadiness in nepers, 0 if none.
    ///
    /// Errors of receivers persist, so successive steps rarely alternate sides; with white noise three in four do.
    @inline(__always) mutating func learn(change: Double, isLeft: Bool, _ rule: UnsteadinessRule) -> Double {
        let logarithm =
            Elementary.approximateLogarithm(min(change, Self.greatestChangeMeters) + Self.leastChangeMeters)
            - Self.leastLogarithm
        let recent = Double(recentUnsteadiness) / Self.recentUnits
        let usual = Double(usualUnsteadiness) / Self.usualUnits
        if learnedFixes < .max { learnedFixes += 1 }
        let newRecent = recent + (logarithm - recent) / Double(min(learnedFixes, Self.recentSteps))
        let newUsual = usual + (logarithm - usual) / Double(min(learnedFixes, Self.usualSteps))
        recentUnsteadiness = UInt8(max(0, min(255, (newRecent * Self.recentUnits).halfAwayFromZero)))
        usualUnsteadiness = UInt16(max(0, min(65_535, (newUsual * Self.usualUnits).halfAwayFromZero)))
        let swerve: UInt8 = isLeft ? 1 : 2
        if swerveSide != 0 {
            let aim = swerveSide == swerve ? 0.0 : 255
            swerves = UInt8((Double(swerves) + (aim - Double(swerves)) / Self.swerveSteps).halfAwayFromZero)
        }
        swerveSide = swerve
        let excess = newRecent - newUsual - rule.excessNepers
        guard excess > 0, Double(swerves) >= 255 * rule.swerves,
            Elementary.approximateLogarithm(rule.maximumMeters) > newRecent + Self.leastLogarithm
        else { return 0 }
        return excess
    }

    /// Usual change between steps, in metres; undefined while ``learnedFixes`` is 0.
    var usualChangeMeters: Double { Elementary.exp(Double(usualUnsteadiness) / Self.usualUnits + Self.leastLogarithm) }
}

extension DriverState.Drift {
    /// Units of ``east`` and ``north`` per metre.
    static let unitsPerMeter = 10.0
    /// Units of ``usual`` per metre.
    private static let usualUnitsPerMeter = 256.0
    private static let usualSteps: UInt8 = 200
    /// Maximum drift that is learned, in metres.
    private static let greatestMeters = 255.0

    @inline(__always) var usualMeters: Double { Double(usual) / Self.usualUnitsPerMeter }

    /// Stores the drift, in metres, and learns its usual size.
    @inline(__always) mutating func learn(east: Double, north: Double, size: Double) {
        self.east = Int16(max(-32_767, min(32_767, (east * Self.unitsPerMeter).halfAwayFromZero)))
        self.north = Int16(max(-32_767, min(32_767, (north * Self.unitsPerMeter).halfAwayFromZero)))
        if learnedFixes < .max { learnedFixes += 1 }
        let mean =
            usualMeters + (min(size, Self.greatestMeters) - usualMeters) / Double(min(learnedFixes, Self.usualSteps))
        usual = UInt16(max(0, min(65_535, (mean * Self.usualUnitsPerMeter).halfAwayFromZero)))
    }
}
