/// Rule that detects accuracy, altitude and speed that are frozen on a device where they normally vary.
///
/// Keeps ``DriverState/Fields``.
package struct OverdueFieldsRule: SpoofRule, Equatable {
    /// Weight per overdue change of any field, in log-odds.
    package var weight = 0.8
    package var limits = OverdueLimits(evidenceThreshold: 3, warnThreshold: 8)

    func problems() -> [String] { limits.problems(of: "overdueFields.limits") }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let fields = context.fields, let due = fields.due else { return }
        // A single field may be constant for a while.
        limits.addEvidence(
            .overdueFields, context.driver.fields.expectedChanges, due: due.fields > 1 ? due.eighths : 0, weight,
            &context,
            settings)
    }
}
