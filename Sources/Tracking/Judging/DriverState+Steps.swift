import Glibc

extension DriverState {
    /// Forgets what the device used to do.
    mutating func forgetHabits() {
        fields = Fields()
        rhythm = Rhythm()
        steps = Steps()
        drift = Drift()
    }
}

extension DriverState.Steps {
    /// Seconds that the last step took; 0 where there is none.
    @inline(__always)
    var seconds: Double { Double(milliseconds) / 1000 }

    @inline(__always)
    var meters: Double {
        (Double(east) * Double(east) + Double(north) * Double(north)).squareRoot() * FixJudge.Step.unitMeters
    }

    /// Speed of the last step, by its ends; `nil` where there is none.
    @inline(__always)
    var meanMetersPerSecond: Double? { milliseconds > 0 ? meters / seconds : nil }

    @inline(__always)
    var speedMetersPerSecond: Double? { speed == .max ? nil : Double(speed) / 100 }

    /// Notes `step` as the last one.
    @inline(__always)
    mutating func take(_ step: FixJudge.Step) {
        let unit = FixJudge.Step.unitMeters
        east = Int16(max(-32_767, min(32_767, (step.east / unit).halfAwayFromZero)))
        north = Int16(max(-32_767, min(32_767, (step.north / unit).halfAwayFromZero)))
        milliseconds = UInt16(max(1, min(65_535, (step.seconds * 1000).halfAwayFromZero)))
        speed = step.speed.map { UInt16(min(65_534, ($0 * 100).halfAwayFromZero)) } ?? .max
    }

    /// What comes next does not follow from the last step; the habits stay.
    @inline(__always)
    mutating func breakOff() {
        milliseconds = 0
        speed = .max
        side = 0
        equalScore = 0
        contraryRun = 0
    }

    /// Logarithms are kept from here on, in nepers: of 0.2 m, below which nothing is measured.
    private static let leastLogarithm = -1.61
    private static let recentSteps = 40.0
    private static let usualSteps = 10_000.0

    /// The natural logarithm of a positive, normal number, off by less than 2e-5: a tenth of what is kept of it.
    @inline(__always)
    private static func logarithm(of value: Double) -> Double {
        let significandBits = value.bitPattern & 0xf_ffff_ffff_ffff | (1.0).bitPattern
        let exponent = Double(Int32(truncatingIfNeeded: value.bitPattern >> 52) - 1023)
        // 2 artanh((m - 1) / (m + 1)) of a significand m in [1, 2), to the seventh power.
        let significand = Double(bitPattern: significandBits)
        let share = (significand - 1) / (significand + 1)
        let x = share * share
        return 2 * share * (1 + x * (1 / 3 + x * (1 / 5 + x * (1 / 7)))) + exponent * 0.693_147_180_559_945_3
    }

    /// Learns how much a step differs from the one before, in metres, and to which side; tells by how much, in
    /// logarithms, the track has become more unsteady than it may, with noise that is drawn anew for each fix; else 0.
    ///
    /// Receivers smooth what they measure: their errors carry over from fix to fix, so their steps seldom swerve to
    /// and fro. White noise swerves at three steps of four.
    @inline(__always)
    mutating func learn(change: Double, isLeft: Bool, _ signals: TrackingSettings.Signals) -> Double {
        let logarithm = Self.logarithm(of: min(change, 100) + 0.2) - Self.leastLogarithm
        let recent = Double(recentUnsteadiness) / Self.recentSteps
        let usual = Double(usualUnsteadiness) / Self.usualSteps
        if learnt < .max { learnt += 1 }
        let newRecent = recent + (logarithm - recent) / Double(min(learnt, 8))
        let newUsual = usual + (logarithm - usual) / Double(min(learnt, 100))
        recentUnsteadiness = UInt8(max(0, min(255, (newRecent * Self.recentSteps).halfAwayFromZero)))
        usualUnsteadiness = UInt16(max(0, min(65_535, (newUsual * Self.usualSteps).halfAwayFromZero)))
        let swerve: UInt8 = isLeft ? 1 : 2
        if side != 0 {
            // A running mean over twelve steps.
            let aim = side == swerve ? 0.0 : 255
            swerves = UInt8((Double(swerves) + (aim - Double(swerves)) / 12).halfAwayFromZero)
        }
        side = swerve
        let excess = newRecent - newUsual - signals.unsteadyLogarithm
        guard excess > 0, Int(learnt) >= signals.unsteadyFixes, Double(swerves) >= 255 * signals.unsteadySwerves,
            Self.logarithm(of: signals.unsteadyMaximumMeters) > newRecent + Self.leastLogarithm
        else { return 0 }
        return excess
    }

    /// What steps usually differ by, in metres; a guess until that is learnt.
    func usualChangeMeters(_ signals: TrackingSettings.Signals) -> Double {
        Int(learnt) < signals.habitFixes
            ? signals.unlearntChangeMeters : exp(Double(usualUnsteadiness) / Self.usualSteps + Self.leastLogarithm)
    }
}

extension DriverState.Drift {
    @inline(__always)
    var usualMeters: Double { Double(usual) / 256 }

    /// Notes the drift, in metres, and learns how large it usually is.
    @inline(__always)
    mutating func learn(east: Double, north: Double, size: Double) {
        self.east = Int16(max(-32_767, min(32_767, (east * 10).halfAwayFromZero)))
        self.north = Int16(max(-32_767, min(32_767, (north * 10).halfAwayFromZero)))
        if learnt < .max { learnt += 1 }
        let mean = usualMeters + (min(size, 255) - usualMeters) / Double(min(learnt, 200))
        usual = UInt16(max(0, min(65_535, (mean * 256).halfAwayFromZero)))
    }
}
