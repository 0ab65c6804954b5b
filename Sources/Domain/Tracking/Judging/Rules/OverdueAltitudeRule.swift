/// An altitude that stops changing, from a device at which it used to.
///
/// Reads ``DriverState/Fields/altitude``.
package struct OverdueAltitudeRule: SpoofRule, Equatable {
    /// Per overdue change, in log-odds.
    package var weight = 0.5
    package var limits = OverdueLimits(fromChanges: 4.5, toldFromChanges: 9)

    var weights: [Double] { [weight] }

    func problems() -> [String] { limits.problems() }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let fields = context.fields, fields.due != nil else { return }
        limits.growWeakly(
            .frozenAltitudeHabit, context.driver.fields.altitude, weight, .accuracyAnomaly, &context, settings)
    }
}
