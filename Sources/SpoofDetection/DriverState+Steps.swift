import Smoothing
import Support

extension DriverState {
    /// Forgets what the device used to do.
    mutating func forgetHabits() {
        fields = Fields()
        headings = Headings()
        rhythm = Rhythm()
        steps = Steps()
        equalRun = EqualRun()
        drift = Drift()
    }

    /// Whether the usual time between two fixes is as long as a gap at other devices.
    @inline(__always)
    func reportsRarely(_ settings: TrackingSettings) -> Bool {
        Double(steps.intervalSeconds) > settings.jumps.graceGapSeconds
    }

    /// What comes next does not follow from the last step; the habits stay.
    @inline(__always)
    mutating func breakOffSteps() {
        steps.breakOff()
        equalRun = EqualRun()
        drift.east = 0
        drift.north = 0
    }

    /// Noise per axis that the filter has learnt of the last positions, in metres.
    func learnedNoiseMeters(_ settings: SmoothingSettings) -> Double {
        let stated = max(settings.minimumNoiseMeters, live.accuracy.meters / settings.accuracyRadiusPerSigma)
        return stated * Elementary.exp(Double(motion.logNoiseScale) / 2)
    }
}

extension DriverState.Steps {
    /// Seconds that the last step took; 0 where there is none.
    @inline(__always)
    var seconds: Double { Double(milliseconds) / 1000 }

    @inline(__always)
    var meters: Double {
        (Double(east) * Double(east) + Double(north) * Double(north)).squareRoot() * TrackStep.unitMeters
    }

    /// Speed of the last step, by its ends; `nil` where there is none.
    @inline(__always)
    var meanMetersPerSecond: Double? { milliseconds > 0 ? meters / seconds : nil }

    @inline(__always)
    var speedMetersPerSecond: Double? { speed == .max ? nil : Double(speed) / 100 }

    /// Notes `step` as the last one.
    @inline(__always)
    mutating func take(_ step: TrackStep) {
        let unit = TrackStep.unitMeters
        east = Int16(max(-32_767, min(32_767, (step.east / unit).halfAwayFromZero)))
        north = Int16(max(-32_767, min(32_767, (step.north / unit).halfAwayFromZero)))
        milliseconds = UInt16(max(1, min(65_535, (step.seconds * 1000).halfAwayFromZero)))
        speed = step.speed.map { UInt16(min(65_534, ($0 * 100).halfAwayFromZero)) } ?? .max
    }

    @inline(__always)
    fileprivate mutating func breakOff() {
        milliseconds = 0
        speed = .max
        side = 0
    }

    /// Learns from one more interval how often the device takes a fix.
    ///
    /// Each interval moves it by a quarter or a second, whatever its own length: a tunnel is no habit.
    @inline(__always)
    mutating func takeInterval(_ seconds: Double) {
        // As it was, mostly.
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

    /// Logarithms are kept from here on, in nepers: of 0.2 m, below which nothing is measured.
    private static let leastLogarithm = -1.61
    /// What ``leastLogarithm`` is the logarithm of, in metres; added to what is measured.
    private static let leastChangeMeters = 0.2
    /// Changes over this, in metres, are learnt as this.
    private static let greatestChangeMeters = 100.0
    /// Units of ``recentUnsteadiness`` per neper.
    private static let recentUnits = 40.0
    /// Units of ``usualUnsteadiness`` per neper.
    private static let usualUnits = 10_000.0
    /// Steps over which the running means go: of what was lately, of what is usual, of how often steps swerve.
    private static let recentSteps: UInt8 = 8
    private static let usualSteps: UInt8 = 100
    private static let swerveSteps = 12.0

    /// Learns how much a step differs from the one before, in metres, and to which side; tells by how much, in
    /// logarithms, the track has become more unsteady than it may, with noise that is drawn anew for each fix; else 0.
    ///
    /// Receivers smooth what they measure: their errors carry over from fix to fix, so their steps seldom swerve to
    /// and fro. White noise swerves at three steps of four.
    @inline(__always)
    mutating func learn(change: Double, isLeft: Bool, _ rule: UnsteadinessRule) -> Double {
        let logarithm =
            Elementary.approximateLogarithm(min(change, Self.greatestChangeMeters) + Self.leastChangeMeters)
            - Self.leastLogarithm
        let recent = Double(recentUnsteadiness) / Self.recentUnits
        let usual = Double(usualUnsteadiness) / Self.usualUnits
        if learnt < .max { learnt += 1 }
        let newRecent = recent + (logarithm - recent) / Double(min(learnt, Self.recentSteps))
        let newUsual = usual + (logarithm - usual) / Double(min(learnt, Self.usualSteps))
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

    /// What steps usually differ by, in metres; means nothing before some were ``learnt``.
    var usualChangeMeters: Double {
        Elementary.exp(Double(usualUnsteadiness) / Self.usualUnits + Self.leastLogarithm)
    }
}

extension DriverState.Drift {
    /// ``east`` and ``north`` are in decimetres.
    static let unitsPerMeter = 10.0
    /// ``usual`` is in 256ths of a metre.
    private static let usualUnitsPerMeter = 256.0
    /// Steps over which the running mean of ``usual`` goes.
    private static let usualSteps: UInt8 = 200
    /// Drifts over this, in metres, are learnt as this.
    private static let greatestMeters = 255.0

    @inline(__always)
    var usualMeters: Double { Double(usual) / Self.usualUnitsPerMeter }

    /// Notes the drift, in metres, and learns how large it usually is.
    @inline(__always)
    mutating func learn(east: Double, north: Double, size: Double) {
        self.east = Int16(max(-32_767, min(32_767, (east * Self.unitsPerMeter).halfAwayFromZero)))
        self.north = Int16(max(-32_767, min(32_767, (north * Self.unitsPerMeter).halfAwayFromZero)))
        if learnt < .max { learnt += 1 }
        let mean = usualMeters + (min(size, Self.greatestMeters) - usualMeters) / Double(min(learnt, Self.usualSteps))
        usual = UInt16(max(0, min(65_535, (mean * Self.usualUnitsPerMeter).halfAwayFromZero)))
    }
}
