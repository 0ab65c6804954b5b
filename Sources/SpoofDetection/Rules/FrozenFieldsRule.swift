import Model

/// Fields that a receiver measures anew each time, and that stay the same to the last bit while the vehicle moves.
///
/// Keeps ``DriverState/Fields/fieldsRun`` and ``DriverState/Fields/speedRun``, by
/// ``DriverState/Fields/take(_:)``.
package struct FrozenFieldsRule: SpoofRule, Equatable {
    /// Accuracy and altitude frozen; per fix once begun, and per second at most, in log-odds.
    package var weight = 0.5
    /// Accuracy, altitude and speed frozen; per fix once begun, and per second at most, in log-odds.
    package var speedWeight = 1.0
    /// Fixes in a row with the same accuracy and altitude while moving.
    package var fixes = 20
    /// Fixes in a row with the same accuracy, altitude and speed while moving.
    package var speedFixes = 10

    var weights: [Double] { [weight, speedWeight] }

    func problems() -> [String] {
        (2...200).contains(fixes) && (2...200).contains(speedFixes)
            ? [] : ["Runs of unchanged fields are between 2 and 200 fixes long."]
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
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
