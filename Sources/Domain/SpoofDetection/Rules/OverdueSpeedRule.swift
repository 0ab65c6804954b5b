/// Rule that detects a frozen reported speed on a device where it normally varies; reads ``DriverState/Fields/speed``.
///
/// Vehicles may keep their speed for minutes, so a frozen speed counts mostly where it is also wrong.
package struct OverdueSpeedRule: SpoofRule, Equatable {
    /// Weight per overdue change of a wrong speed, in log-odds.
    package var weight = 2.0
    /// Additional weight per overdue change of a speed that need not be wrong, in log-odds.
    package var aloneWeight = 1.6
    package var limits = OverdueLimits(evidenceThreshold: 3.5, warnThreshold: 9)
    /// Minimum overdue changes for a speed of 0 on a device with long intervals, because a bus may stop at every fix.
    package var standingEvidenceThreshold = 7.0
    /// Limits for a speed that need not be wrong, on a device that changed it at ``changingRate`` or more.
    package var aloneLimits = OverdueLimits(evidenceThreshold: 8, warnThreshold: 12)
    /// Minimum rate of changes for ``aloneLimits``, in 1/255 of the fixes.
    package var changingRate = 217
    /// Minimum deviation of a wrong speed from the speed of the step, in m/s, plus ``wrongShare`` of the speed.
    package var wrongMetersPerSecond = 1.0
    package var wrongShare = 0.1
    /// Minimum drift of the last minute at which a speed is wrong (m), plus ``wrongDriftFactor`` times the usual drift.
    package var wrongDriftMeters = 60.0
    package var wrongDriftFactor = 4.0
    /// Minimum deviation, in multiples of the noise and beyond the accuracy, at which reported standstill is wrong.
    package var standingNoiseFactor = 4.0

    func problems() -> [String] {
        limits.problems(of: "overdueSpeed.limits") + aloneLimits.problems(of: "overdueSpeed.aloneLimits")
            + settingProblems(of: self, .within(0..<31, \.standingEvidenceThreshold))
    }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let fields = context.fields, fields.due != nil else { return }
        let habit = context.driver.fields.speed
        let overdue = Habit.changes(ofEighths: Int(habit.expectedChanges))
        let isWrong =
            overdue > limits.evidenceThreshold && !context.isSettling(settings)
            && (overdue > standingEvidenceThreshold || !mayStand(context, settings))
            && (isWrongNow(context, settings) || isFarFromReported(context.driver.drift))
        limits.addEvidence(
            .overdueSpeed, habit.expectedChanges, due: isWrong ? Int(habit.eighths) : 0, weight, &context, settings)
        // A frozen speed need not be wrong if the device hardly ever repeated a speed, as devices that round speeds do.
        let isAlone = habit.usualRate >= changingRate && (isWrong || !context.reportsStandstill(settings))
        aloneLimits.addEvidence(
            .overdueSpeed, habit.expectedChanges, due: isAlone ? Int(habit.eighths) : 0, aloneWeight, &context,
            settings)
    }

    /// Returns whether the vehicle may have stood at each fix and driven in between.
    private func mayStand(_ context: FixContext, _ settings: TrackingSettings) -> Bool {
        context.reportsStandstill(settings) && context.driver.reportsRarely(settings)
    }

    /// Returns whether the reported speed differs from the last step's by more than accuracy and noise explain.
    @inline(__always) private func isWrongNow(_ context: FixContext, _ settings: TrackingSettings) -> Bool {
        let motion = context.motion
        guard let speed = context.fix.speedMetersPerSecond, motion.seconds > 0 else { return false }
        // Larger displacements are handled as jumps.
        let furthest =
            settings.jumps.maximumSpeedMetersPerSecond * (motion.seconds + settings.jumps.timestampJitterSeconds)
        guard motion.distanceMeters < furthest else { return false }
        let difference = abs(motion.distanceMeters - speed * motion.seconds)
        guard difference > (wrongMetersPerSecond + wrongShare * speed) * motion.seconds else { return false }
        guard speed < settings.smoothing.minimumSpeedForHeadingMetersPerSecond else { return true }
        let accuracy = context.fix.accuracyMeters.map { $0 + context.driver.lastAccepted.accuracy.meters } ?? 0
        return difference > accuracy + standingNoiseFactor * context.driver.learnedNoiseMeters(settings.smoothing)
    }

    /// Returns whether the driven distance is far from the reported distance.
    private func isFarFromReported(_ drift: DriverState.Drift) -> Bool {
        Motion.length(Double(drift.east), Double(drift.north)) / DriverState.Drift.unitsPerMeter
            > wrongDriftMeters + wrongDriftFactor * drift.usualMeters
    }
}
