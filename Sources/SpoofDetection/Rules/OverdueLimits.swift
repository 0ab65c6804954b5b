import Model

/// How evidence grows with changes that are overdue, by what the device did before; see ``Habit``.
///
/// The most that are ever overdue in an honest recording, while moving: fields together 5.6 (a60_phones), speed 6.6
/// (capmetro_fleet_day), headings 5.0 (gsdc_phones_2020-05-14), intervals 8.1 (a60_phones).
package struct OverdueLimits: Sendable, Equatable {
    /// Fewer changes count nothing.
    package var fromChanges: Double
    /// From here on the fix is marked and a warning raised.
    package var toldFromChanges: Double

    package init(fromChanges: Double, toldFromChanges: Double) {
        self.fromChanges = fromChanges
        self.toldFromChanges = toldFromChanges
    }

    /// What is wrong with the limits, in a sentence.
    func problems() -> [String] {
        // A habit counts to 31 overdue changes.
        (0..<31).contains(fromChanges) && (0...31).contains(toldFromChanges)
            ? [] : ["Overdue changes count from fewer than 31 on."]
    }

    /// Lets the risk grow with `overdue` changes, of which `due` came with this fix; both in eighths.
    ///
    /// For what no receiver does, whatever the sky; `weight` is per change, in log-odds, of a device that measures every
    /// 1 to 10 s. It is less for those that measure more often, and more for others (``FixContext/habitEvidence(_:)``).
    @inline(__always)
    func grow(
        _ signal: Signals, _ overdue: UInt8, due: Int, _ weight: Double, _ context: inout FixContext,
        _ settings: TrackingSettings
    ) {
        let changes = Habit.changes(ofEighths: Int(overdue))
        guard changes > fromChanges, due > 0 else { return }
        let weight = weight * Double(due) / Habit.eighthsPerChange * context.habitEvidence(settings)
        guard changes >= toldFromChanges else {
            context.addRisk(signal, weight, settings.risk)
            return
        }
        context.mark(
            signal, weight, .accuracyAnomaly, settings.risk,
            LocationWarning.Evidence(
                speedMetersPerSecond: context.fix.speedMetersPerSecond, accuracyMeters: context.fix.accuracyMeters,
                fixes: Int(changes)))
    }

    /// The same for habits that honest devices change as well, as when they go over to another source of positions.
    @inline(__always)
    func growWeakly(
        _ signal: Signals, _ habit: Habit, _ weight: Double, _ reason: Reasons, _ context: inout FixContext,
        _ settings: TrackingSettings
    ) {
        let changes = Habit.changes(ofEighths: Int(habit.overdue))
        guard changes > fromChanges, habit.eighths > 0 else { return }
        context.addSky(signal, weight * Double(habit.eighths) / Habit.eighthsPerChange * context.evidenceSeconds)
        guard changes >= toldFromChanges else { return }
        context.judgement.signals.insert(signal)
        context.accuse(
            of: reason, .none, signal, weighing: 0, settings.risk, LocationWarning.Evidence(fixes: Int(changes)))
    }
}
