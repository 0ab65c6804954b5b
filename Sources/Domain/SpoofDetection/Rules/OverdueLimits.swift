/// Thresholds for the number of changes that are overdue by a device's ``Habit``.
///
/// Maximum overdue changes while moving, with the honest recording in which they occur: fields together 5.6
/// (a60_phones), speed 6.6 (capmetro_fleet_day), headings 5.0 (gsdc_phones_2020-05-14), intervals 8.1 (a60_phones).
package struct OverdueLimits: Sendable, Equatable {
    package var evidenceThreshold: Double
    package var warnThreshold: Double

    func problems(of name: String) -> [String] {
        // A habit counts up to 31 expected changes.
        (0..<31).contains(evidenceThreshold) && (0...31).contains(warnThreshold)
            ? [] : ["\(name).evidenceThreshold must be 0 to less than 31, and warnThreshold 0 to 31."]
    }

    /// Adds evidence for `expected` overdue changes, `due` of which were expected of this fix; both in 1/8.
    ///
    /// `weight` is per change, in log-odds; see ``FixContext/habitEvidence(_:)``.
    @inline(__always) func addEvidence(
        _ signal: Signals, _ expected: UInt8, due: Int, _ weight: Double, _ context: inout FixContext,
        _ settings: TrackingSettings
    ) {
        let changes = Habit.changes(ofEighths: Int(expected))
        guard changes > evidenceThreshold, due > 0 else { return }
        let weight = weight * Double(due) / Habit.eighthsPerChange * context.habitEvidence(settings)
        guard changes >= warnThreshold else {
            context.addRisk(signal, weight, settings.risk)
            return
        }
        context.mark(
            signal, weight, .accuracyAnomaly, settings.risk,
            LocationWarning.Evidence(
                speedMetersPerSecond: context.fix.speedMetersPerSecond, accuracyMeters: context.fix.accuracyMeters,
                fixes: Int(changes)))
    }

    /// Adds ambiguous evidence, for habits that also change on honest devices, as with another position source.
    @inline(__always) func addAmbiguousEvidence(
        _ signal: Signals, _ habit: Habit, _ weight: Double, _ reason: Reasons, _ context: inout FixContext,
        _ settings: TrackingSettings
    ) {
        let changes = Habit.changes(ofEighths: Int(habit.expectedChanges))
        guard changes > evidenceThreshold, habit.eighths > 0 else { return }
        context.addAmbiguousEvidence(
            signal, weight * Double(habit.eighths) / Habit.eighthsPerChange * context.evidenceSeconds)
        guard changes >= warnThreshold else { return }
        context.result.signals.insert(signal)
        context.addCandidateEvidence(
            for: reason, .none, signal, weighing: 0, settings.risk, LocationWarning.Evidence(fixes: Int(changes)))
    }
}
