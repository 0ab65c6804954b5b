/// Accuracy, altitude and speed, none of which changes, from a device at which they used to.
///
/// Reads ``DriverState/Fields``, which ``DriverState/Fields/learn(_:saysItStands:habitFixes:)`` keeps.
package struct OverdueFieldsRule: SpoofRule, Equatable {
    /// Per overdue change of any of them, in log-odds.
    package var weight = 0.8
    package var limits = OverdueLimits(fromChanges: 3, toldFromChanges: 8)

    var weights: [Double] { [weight] }

    func problems() -> [String] { limits.problems() }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let fields = context.fields, let due = fields.due else { return }
        // One field alone may well stand still for a while.
        limits.grow(
            .frozenHabit, context.driver.fields.overdue, due: due.fields > 1 ? due.eighths : 0, weight, &context,
            settings)
    }
}
