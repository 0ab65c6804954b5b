/// A reported speed that stops changing, from a device at which it used to.
///
/// Many a vehicle does keep its speed for minutes, many a device rounds it, and one that stands says 0 all the time. So
/// it mostly counts where it is wrong as well. Reads ``DriverState/Fields/speed``.
package struct OverdueSpeedRule: SpoofRule, Equatable {
    /// Per overdue change of a speed that is wrong, in log-odds.
    package var weight = 2.0
    /// Per overdue change of one that need not be wrong, in log-odds, on top.
    package var aloneWeight = 1.6
    package var limits = OverdueLimits(fromChanges: 3.5, toldFromChanges: 9)
    /// The same for a speed of 0 of a device that takes its fixes rarely: a bus may well stand at each of them and get on
    /// between them, up to seven in a row, 6.6 overdue changes (capmetro_fleet_day).
    package var standingFromChanges = 7.0
    /// For a speed that need not be wrong, of a device at which it changed at ``changingRate`` or more.
    package var aloneLimits = OverdueLimits(fromChanges: 8, toldFromChanges: 12)
    /// In 255ths of the fixes.
    package var changingRate = 217
    /// The speed is wrong when it differs from that of the step by this, in m/s, and ``wrongShare`` of it.
    package var wrongMetersPerSecond = 1.0
    package var wrongShare = 0.1
    /// Or when the way made in the last minute is off by this, in metres, and ``wrongDriftFactor`` times what it
    /// usually is: a slow vehicle that says it stands takes a minute for that, during which the filter comes to believe
    /// in noise.
    package var wrongDriftMeters = 60.0
    package var wrongDriftFactor = 4.0
    /// A device that says it stands is wrong from so many times the noise on, beyond its accuracy.
    package var standingNoiseFactor = 4.0

    var weights: [Double] { [weight, aloneWeight] }

    func problems() -> [String] {
        limits.problems() + aloneLimits.problems()
            + ((0..<31).contains(standingFromChanges) ? [] : ["Overdue changes count from fewer than 31 on."])
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let fields = context.fields, fields.due != nil else { return }
        let habit = context.driver.fields.speed
        let overdue = Habit.changes(ofEighths: Int(habit.overdue))
        let isWrong =
            overdue > limits.fromChanges && !context.isSettling(settings)
            && (overdue > standingFromChanges || !mayStand(context, settings))
            && (isWrongNow(context, settings) || isFarFromReported(context.driver.drift))
        limits.grow(
            .frozenSpeedHabit, habit.overdue, due: isWrong ? Int(habit.eighths) : 0, weight, &context, settings)
        // One that hardly ever came twice needs not be wrong: devices that round it keep it for minutes.
        let isAlone = habit.usualRate >= changingRate && (isWrong || !context.saysItStands(settings))
        aloneLimits.grow(
            .frozenSpeedHabit, habit.overdue, due: isAlone ? Int(habit.eighths) : 0, aloneWeight, &context, settings)
    }

    /// Whether the vehicle may have stood at each of its fixes and got on between them.
    private func mayStand(_ context: FixContext, _ settings: TrackingSettings) -> Bool {
        context.saysItStands(settings) && context.driver.reportsRarely(settings)
    }

    /// Whether the reported speed is not that of the last step, so that it should have changed.
    ///
    /// The position of a vehicle that stands wanders by as much as the accuracy says, and as the filter has learnt.
    @inline(__always)
    private func isWrongNow(_ context: FixContext, _ settings: TrackingSettings) -> Bool {
        let motion = context.motion
        guard let speed = context.fix.speedMetersPerSecond, motion.seconds > 0 else { return false }
        // What is further off than any vehicle gets is judged as a jump.
        let furthest = settings.jumps.maximumSpeedMetersPerSecond * (motion.seconds + settings.jumps.stampJitterSeconds)
        guard motion.distanceMeters < furthest else { return false }
        let difference = abs(motion.distanceMeters - speed * motion.seconds)
        guard difference > (wrongMetersPerSecond + wrongShare * speed) * motion.seconds else { return false }
        guard speed < settings.smoothing.minimumSpeedForHeadingMetersPerSecond else { return true }
        let accuracy = context.fix.accuracyMeters.map { $0 + context.driver.live.accuracy.meters } ?? 0
        return difference > accuracy + standingNoiseFactor * context.driver.learnedNoiseMeters(settings.smoothing)
    }

    /// Whether the way made has left the way reported far behind.
    private func isFarFromReported(_ drift: DriverState.Drift) -> Bool {
        Motion.length(Double(drift.east), Double(drift.north)) / DriverState.Drift.unitsPerMeter
            > wrongDriftMeters + wrongDriftFactor * drift.usualMeters
    }
}
