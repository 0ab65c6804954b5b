/// A heading that stays the same to its last digit while the vehicle drives, from a device at which it used to change:
/// a simulated drive along a straight line.
///
/// Whole degrees prove nothing: many devices round to them. Those with digits after the point repeat a heading at up to
/// 18 % of the fixes and up to seven times in a row (gsdc_phones_2020-05-14); how often each does is learnt. Keeps
/// ``DriverState/Headings``.
package struct OverdueHeadingRule: SpoofRule, Equatable {
    /// Per overdue change, in log-odds.
    package var weight = 0.8
    /// The most that are overdue in an honest recording are 5.
    package var limits = OverdueLimits(fromChanges: 6.5, toldFromChanges: 10)

    var weights: [Double] { [weight] }

    func problems() -> [String] { limits.problems() }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        // Only of a vehicle that moves, and after no gap.
        guard let fields = context.fields else { return }
        guard fields.due != nil, let heading = context.fix.headingDegrees, heading != heading.rounded() else {
            context.driver.headings.breakOff()
            return
        }
        let learnt = context.driver.fields.learnt
        let isLearnt = Int(learnt) >= settings.signals.habitFixes
        guard context.driver.headings.learn(heading, after: learnt, isLearnt: isLearnt) else { return }
        let habit = context.driver.headings.habit
        limits.grow(
            .frozenHeadingHabit, habit.overdue, due: Int(habit.eighths), weight, &context, settings)
    }
}
