/// What a device suddenly does unlike itself.
extension FixJudge {
    /// Whether each field has another value than at the fix before; `nil` where either has none.
    struct FieldChanges {
        var accuracy: Bool?
        var altitude: Bool?
        var speed: Bool?
    }

    /// Fields that a receiver measures anew each time, and that stop changing while the vehicle moves.
    @inline(__always)
    func examineFrozenHabits(
        _ context: FixContext, _ motion: Motion, _ changes: FieldChanges, _ state: inout DriverState,
        _ judgement: inout Judgement
    ) {
        let isLearnt = Int(state.fields.learnt) >= settings.signals.habitFixes
        if state.fields.learnt < .max { state.fields.learnt += 1 }
        var due = 0
        var fields = 0
        var isFrozen = true
        func observe(_ hasChanged: Bool?, _ habit: inout Habit) {
            guard let hasChanged else {
                habit.overdue = 0
                return
            }
            fields += 1
            due += Int(habit.eighths)
            habit.observe(hasChanged: hasChanged, isLearnt: isLearnt)
            if hasChanged { isFrozen = false }
        }
        observe(changes.accuracy, &state.fields.accuracy)
        observe(changes.altitude, &state.fields.altitude)
        let others = (due: due, fields: fields)
        observe(changes.speed, &state.fields.speed)
        // A vehicle that stands says 0 each time.
        if changes.speed == false, saysItStands(context) { (due, fields) = others }
        state.fields.overdue = isFrozen && isLearnt ? UInt8(min(255, Int(state.fields.overdue) + due)) : 0
        let rules = settings.overdue
        let weights = settings.risk.weights
        // One field alone may well stand still for a while.
        grow(
            .frozenHabit, state.fields.overdue, fields > 1 ? due : 0, rules.fields, weights.overdueFields, context,
            &state, &judgement)
        examineFrozenSpeed(context, motion, &state, &judgement)
        let altitude = state.fields.altitude
        growWeakly(
            .frozenAltitudeHabit, altitude, rules.altitude, weights.overdueAltitude, .accuracyAnomaly, &judgement)
    }

    @inline(__always)
    private func examineFrozenSpeed(
        _ context: FixContext, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement
    ) {
        let rules = settings.overdue
        let weights = settings.risk.weights
        let speed = state.fields.speed
        let isWrong =
            Double(speed.overdue) > 8 * rules.speed.fromChanges && !isSettling(context, state)
            && (isSpeedWrong(context, motion, state) || isSpeedWrongLately(context, motion, state)
                || isFarFromReported(state.drift))
        grow(
            .frozenSpeedHabit, speed.overdue, isWrong ? Int(speed.eighths) : 0, rules.speed, weights.overdueSpeed,
            context, &state, &judgement
        )
        // One that hardly ever came twice needs not be wrong: devices that round it keep it for minutes.
        let isAlone = speed.usualRate >= rules.changingRate && (isWrong || !saysItStands(context))
        grow(
            .frozenSpeedHabit, speed.overdue, isAlone ? Int(speed.eighths) : 0, rules.speedAlone,
            weights.overdueSpeedAlone, context, &state, &judgement)
    }

    /// Whether the reported speed is not that of the last step, so that it should have changed.
    ///
    /// Many a vehicle does keep its speed for minutes, many a device rounds it, and one that stands says 0 all the
    /// time, while its position wanders by as much as the accuracy says, and as the filter has learnt.
    @inline(__always)
    private func isSpeedWrong(_ context: FixContext, _ motion: Motion, _ state: DriverState) -> Bool {
        guard let speed = context.fix.speedMetersPerSecond, motion.seconds > 0 else { return false }
        // What is further off than any vehicle gets is judged as a jump.
        let furthest = settings.jumps.maximumSpeedMetersPerSecond * (motion.seconds + settings.jumps.stampJitterSeconds)
        guard motion.distanceMeters < furthest else { return false }
        let difference = abs(motion.distanceMeters - speed * motion.seconds)
        let rules = settings.overdue
        guard difference > (rules.wrongSpeedMetersPerSecond + rules.wrongSpeedShare * speed) * motion.seconds else {
            return false
        }
        guard speed < settings.smoothing.minimumSpeedForHeadingMetersPerSecond else { return true }
        let accuracy = context.fix.accuracyMeters.map { $0 + state.live.accuracy.meters } ?? 0
        return difference > accuracy + rules.standingNoiseFactor * learnedNoiseMeters(state)
    }

    /// The same since the window of compared speeds began, where stamps and noise are a smaller part of the way.
    private func isSpeedWrongLately(_ context: FixContext, _ motion: Motion, _ state: DriverState) -> Bool {
        guard let last = context.fix.speedMetersPerSecond, state.window.fixes > 1, state.window.hasSpeeds else {
            return false
        }
        let seconds = state.window.at.seconds(until: context.at)
        guard seconds > 0 else { return false }
        let displacement = Geodesy.nearbyDistanceMeters(from: state.window.start.coordinate, to: context.fix.coordinate)
        // Where noise cannot shorten it, as in `compareSpeeds`.
        let path = state.window.path.meters + motion.distanceMeters
        let reported = state.window.reported.meters + last * motion.seconds
        let rules = settings.overdue
        let speed = max(reported, displacement) / seconds
        let slack =
            (rules.wrongSpeedMetersPerSecond + rules.wrongSpeedShare * speed) * seconds
            + settings.signals.windowJitterSeconds * speed
            + context.accuracyMeters(settings.quality) + state.window.startAccuracy.meters
            + settings.signals.noiseFactor * learnedNoiseMeters(state)
        if reported - path > slack { return true }
        return displacement - reported > slack && isUnderWay(context, motion, state.window)
    }

    /// Whether the way made has left the way reported far behind: a slow vehicle that says it stands takes a minute for
    /// that, during which the filter comes to believe in noise.
    private func isFarFromReported(_ drift: DriverState.Drift) -> Bool {
        let meters = Self.length(Double(drift.east), Double(drift.north)) / 10
        return meters > settings.overdue.wrongDriftMeters + settings.overdue.wrongDriftFactor * drift.usualMeters
    }

    /// Whether the last step is about its share of the way since the window began: where a single fix was off, at
    /// either end, one step is all of it.
    func isUnderWay(_ context: FixContext, _ motion: Motion, _ window: DriverState.Window) -> Bool {
        let seconds = window.at.seconds(until: context.at)
        guard seconds > 0 else { return false }
        let way = TangentPlane(origin: window.start.coordinate).point(of: context.fix.coordinate)
        // Both times the length of the way.
        let along = way.east * motion.east + way.north * motion.north
        let all = way.east * way.east + way.north * way.north
        return along >= 0.5 * all * motion.seconds / seconds && along <= 0.8 * all
    }

    /// Whether the device says that it stands.
    @inline(__always)
    private func saysItStands(_ context: FixContext) -> Bool {
        (context.fix.speedMetersPerSecond ?? .infinity) < settings.smoothing.minimumSpeedForHeadingMetersPerSecond
    }

    /// Whether the device says that it stands, and its position may still be coming back from a gap to where it is: a
    /// cold start is off by hundreds of metres at first, and no speed tells of that.
    @inline(__always)
    func isSettling(_ context: FixContext, _ state: DriverState) -> Bool {
        Int(state.live.fixesSinceGap) <= settings.signals.settlingFixes && saysItStands(context)
    }

    /// Intervals exact to the millisecond from a device that never kept time so well.
    @inline(__always)
    func examineRhythm(_ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement) {
        guard let interval = context.sinceLastMilliseconds, interval > 0,
            Double(interval) <= settings.jumps.graceGapSeconds * 1000, interval <= 65_535
        else {
            state.rhythm.milliseconds = 0
            state.rhythm.habit.overdue = 0
            return
        }
        let last = Int64(state.rhythm.milliseconds)
        state.rhythm.milliseconds = UInt16(interval)
        guard last > 0 else { return }
        let isLearnt = Int(state.rhythm.learnt) >= settings.signals.habitFixes
        if state.rhythm.learnt < .max { state.rhythm.learnt += 1 }
        // A millisecond is the rounding of the stamps.
        state.rhythm.habit.observe(hasChanged: abs(interval - last) > 1, isLearnt: isLearnt)
        judgement.hint += Float(min(state.rhythm.habit.overdue, 48)) * Float(settings.risk.hints.overdueInterval / 8)
        growWeakly(
            .rhythm, state.rhythm.habit, settings.overdue.rhythm, settings.risk.weights.overdueRhythm,
            .kinematicAnomaly, &judgement)
    }

    /// Lets the evidence grow with the changes that are overdue; `due` is what this fix adds to them, in eighths.
    @inline(__always)
    private func grow(
        _ signal: Signals, _ overdue: UInt8, _ due: Int, _ rule: TrackingSettings.Overdue.Rule,
        _ weightPerChange: Double,
        _ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement
    ) {
        let changes = Double(overdue) / 8
        guard changes > rule.fromChanges, due > 0 else { return }
        let weight = weightPerChange * Double(due) / 8
        guard changes >= rule.toldFromChanges else {
            state.risk.add(weight, at: context.streamTime, settings.risk)
            return
        }
        accuse(
            signal, weight, .accuracyAnomaly, context, &state, &judgement,
            LocationWarning.Evidence(
                speedMetersPerSecond: context.fix.speedMetersPerSecond, accuracyMeters: context.fix.accuracyMeters,
                fixes: Int(changes)))
    }

    /// The same for habits that honest devices change as well, as when they go over to another source of positions.
    @inline(__always)
    private func growWeakly(
        _ signal: Signals, _ habit: Habit, _ rule: TrackingSettings.Overdue.Rule, _ weightPerChange: Double,
        _ reason: Reasons,
        _ judgement: inout Judgement
    ) {
        let changes = Double(habit.overdue) / 8
        guard changes > rule.fromChanges, habit.eighths > 0 else { return }
        let weight = weightPerChange * Double(habit.eighths) / 8
        judgement.skyWeight += Float(weight)
        guard changes >= rule.toldFromChanges else { return }
        judgement.signals.insert(signal)
        accuse(of: reason, .none, weighing: 0, &judgement, LocationWarning.Evidence(fixes: Int(changes)))
    }

    /// Adds to the risk what no sky can be the cause of, and tells of it.
    func accuse(
        _ signal: Signals, _ weight: Double, _ reason: Reasons, _ context: FixContext, _ state: inout DriverState,
        _ judgement: inout Judgement, _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        state.risk.add(weight, at: context.streamTime, settings.risk)
        judgement.signals.insert(signal)
        judgement.reasons.insert(reason)
        warn(reason, .flag, context, &state, &judgement, evidence)
    }
}
