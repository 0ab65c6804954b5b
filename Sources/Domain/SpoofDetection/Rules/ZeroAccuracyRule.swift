/// Rule that detects accuracies of exactly 0, which are typical of simulators; keeps
/// ``DriverState/Fields/zeroAccuracyRun``.
package struct ZeroAccuracyRule: SpoofRule, Equatable {
    /// Number of consecutive fixes with an accuracy of exactly 0 from which a warning is raised.
    package var fixes = 5

    func problems() -> [String] { settingProblems(of: self, .within(1...200, \.fixes)) }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.fix.hasZeroAccuracy else {
            context.driver.fields.zeroAccuracyRun = 0
            return
        }
        let run = min(context.driver.fields.zeroAccuracyRun, .max - 1) + 1
        context.driver.fields.zeroAccuracyRun = run
        guard Int(run) >= fixes else { return }
        context.warn(.accuracyAnomaly, .none, LocationWarning.Evidence(accuracyMeters: 0, fixes: Int(run)))
    }
}
