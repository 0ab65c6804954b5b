#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
        east = Int16(max(-32_767, min(32_767, (step.east / unit).rounded())))
        north = Int16(max(-32_767, min(32_767, (step.north / unit).rounded())))
        milliseconds = UInt16(max(1, min(65_535, (step.seconds * 1000).rounded())))
        speed = step.speed.map { UInt16(min(65_534, ($0 * 100).rounded())) } ?? .max
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

    /// Learns how much a step differs from the one before, in metres, and to which side; tells by how much, in
    /// logarithms, the track has become more unsteady than it may, with noise that is drawn anew for each fix; else 0.
    ///
    /// Receivers smooth what they measure: their errors carry over from fix to fix, so their steps seldom swerve to
    /// and fro. White noise swerves at three steps of four.
    @inline(__always)
    mutating func learn(change: Double, isLeft: Bool, _ signals: TrackingSettings.Signals) -> Double {
        let logarithm = log(min(change, 100) + 0.2) - Self.leastLogarithm
        let recent = Double(recentUnsteadiness) / Self.recentSteps
        let usual = Double(usualUnsteadiness) / Self.usualSteps
        if learnt < .max { learnt += 1 }
        let newRecent = recent + (logarithm - recent) / Double(min(learnt, 8))
        let newUsual = usual + (logarithm - usual) / Double(min(learnt, 100))
        recentUnsteadiness = UInt8(max(0, min(255, (newRecent * Self.recentSteps).rounded())))
        usualUnsteadiness = UInt16(max(0, min(65_535, (newUsual * Self.usualSteps).rounded())))
        let swerve: UInt8 = isLeft ? 1 : 2
        if side != 0 {
            // A running mean over twelve steps.
            let aim = side == swerve ? 0.0 : 255
            swerves = UInt8((Double(swerves) + (aim - Double(swerves)) / 12).rounded())
        }
        side = swerve
        let excess = newRecent - newUsual - signals.unsteadyLogarithm
        guard excess > 0, Int(learnt) >= signals.unsteadyFixes, Double(swerves) >= 255 * signals.unsteadySwerves,
            newRecent + Self.leastLogarithm < log(signals.unsteadyMaximumMeters)
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
        self.east = Int16(max(-32_767, min(32_767, (east * 10).rounded())))
        self.north = Int16(max(-32_767, min(32_767, (north * 10).rounded())))
        if learnt < .max { learnt += 1 }
        let mean = usualMeters + (min(size, 255) - usualMeters) / Double(min(learnt, 200))
        usual = UInt16(max(0, min(65_535, (mean * 256).rounded())))
    }
}
