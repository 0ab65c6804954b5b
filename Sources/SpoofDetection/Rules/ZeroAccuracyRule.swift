import Model

/// Accuracies of exactly 0, which mean that none was given; simulators say so too.
///
/// Keeps ``DriverState/Fields/zeroAccuracyRun``.
package struct ZeroAccuracyRule: SpoofRule, Equatable {
    /// Fixes in a row with an accuracy of exactly 0 that are worth a warning.
    package var fixes = 5

    var weights: [Double] { [] }

    func problems() -> [String] {
        (1...200).contains(fixes) ? [] : ["Runs of accuracies of 0 are between 1 and 200 fixes long."]
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
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
