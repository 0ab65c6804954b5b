/// Rule that detects intervals exact to the millisecond on a device where they normally vary.
///
/// Keeps ``DriverState/Rhythm``.
package struct RhythmRule: SpoofRule, Equatable {
    /// Weight per overdue change of the interval, in log-odds.
    package var weight = 0.35
    package var limits = OverdueLimits(evidenceThreshold: 4, warnThreshold: 14)
    /// Maximum difference of equal intervals, in milliseconds, from the rounding of timestamps.
    package var roundingMilliseconds: Int64 = 1
    /// Hint per overdue change, in log-odds; see ``TrackingSettings/Risk/maximumHint``.
    package var hint = 0.5

    func problems() -> [String] { limits.problems(of: "rhythm.limits") }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let interval = context.sinceLastMilliseconds, interval > 0,
            Double(interval) <= settings.jumps.graceGapSeconds * 1000, interval <= Int64(UInt16.max)
        else {
            context.driver.rhythm.milliseconds = 0
            context.driver.rhythm.habit.expectedChanges = 0
            return
        }
        let last = Int64(context.driver.rhythm.milliseconds)
        context.driver.rhythm.milliseconds = UInt16(interval)
        guard last > 0 else { return }
        let learnedFixes = context.driver.rhythm.learnedFixes
        if context.driver.rhythm.learnedFixes < .max { context.driver.rhythm.learnedFixes += 1 }
        context.driver.rhythm.habit.observe(
            hasChanged: abs(interval - last) > roundingMilliseconds, after: learnedFixes,
            isLearned: Int(learnedFixes) >= settings.signals.habitFixes)
        let habit = context.driver.rhythm.habit
        context.addHint(Float(habit.expectedChanges) * Float(hint / Habit.eighthsPerChange))
        limits.addAmbiguousEvidence(.rhythm, habit, weight, .kinematicAnomaly, &context, settings)
    }
}
