/// Rule that detects a heading that is frozen to its last digit on a device where it normally varies.
///
/// Simulated drives along straight lines have such headings. Whole degrees are ignored, because many devices round to
/// them. Devices with fractional degrees repeat a heading at up to 18 % of their fixes and up to seven times in a row
/// (recording gsdc_phones_2020-05-14); the rate of each device is learned. Keeps ``DriverState/Headings``.
package struct OverdueHeadingRule: SpoofRule, Equatable {
    /// Weight per overdue change, in log-odds.
    package var weight = 0.8
    /// Thresholds of overdue changes; the maximum in an honest recording is 5.
    package var limits = OverdueLimits(evidenceThreshold: 6.5, warnThreshold: 10)

    func problems() -> [String] { limits.problems(of: "overdueHeading.limits") }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        // `fields` is set only while the vehicle moves.
        guard let fields = context.fields else { return }
        guard fields.due != nil, let heading = context.fix.headingDegrees, heading != heading.rounded() else {
            context.driver.headings.interrupt()
            return
        }
        let learnedFixes = context.driver.fields.learnedFixes
        let isLearned = Int(learnedFixes) >= settings.signals.habitFixes
        guard context.driver.headings.learn(heading, after: learnedFixes, isLearned: isLearned) else { return }
        let habit = context.driver.headings.habit
        limits.addEvidence(
            .overdueHeading, habit.expectedChanges, due: Int(habit.eighths), weight, &context, settings)
    }
}

extension DriverState.Headings {
    /// Interrupts the sequence of headings; the habit stays.
    @inline(__always) mutating func interrupt() {
        hash = 0
        habit.expectedChanges = 0
    }

    /// Updates the habit with a heading; returns whether the heading repeats the last heading.
    @inline(__always) mutating func learn(_ degrees: Double, after fixes: UInt8, isLearned: Bool) -> Bool {
        let new = DriverState.Fields.hash(degrees)
        let last = hash
        hash = new
        guard last != 0 else { return false }
        habit.observe(hasChanged: new != last, after: fixes, isLearned: isLearned)
        return new == last
    }
}
