/// Rule that detects measured fields that stay identical to the last bit while the vehicle moves.
///
/// Keeps ``DriverState/Fields``.
package struct FrozenFieldsRule: SpoofRule, Equatable {
    /// Weight of frozen accuracy and altitude, per fix or per second if fixes are more frequent, in log-odds.
    package var weight = 0.5
    /// Weight of frozen accuracy, altitude and speed, per fix or per second if fixes are more frequent, in log-odds.
    package var speedWeight = 1.0
    /// Number of consecutive moving fixes with the same accuracy and altitude that count as frozen.
    package var fixes = 20
    /// Number of consecutive moving fixes with the same accuracy, altitude and speed that count as frozen.
    package var speedFixes = 10

    func problems() -> [String] { settingProblems(of: self, .within(2...200, \.fixes, \.speedFixes)) }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.fields != nil else { return }
        let runs = context.driver.fields
        let isSpeedFrozen = Int(runs.speedRun) >= speedFixes
        guard isSpeedFrozen || Int(runs.fieldsRun) >= fixes else { return }
        context.mark(
            isSpeedFrozen ? .frozenSpeed : .frozenFields,
            (isSpeedFrozen ? speedWeight : weight) * context.evidenceSeconds, .accuracyAnomaly, settings.risk,
            LocationWarning.Evidence(
                speedMetersPerSecond: isSpeedFrozen ? context.fix.speedMetersPerSecond : nil,
                accuracyMeters: context.fix.accuracyMeters, fixes: Int(max(runs.fieldsRun, runs.speedRun))))
    }
}
