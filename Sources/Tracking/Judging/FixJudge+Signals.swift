/// Signals that only add to the risk.
extension FixJudge {
    /// Fields that stay the same while the vehicle moves, and accuracies of exactly zero.
    @inline(__always)
    func examineFields(
        _ context: FixContext, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement
    ) {
        examineZeroAccuracy(context, &state, &judgement)
        guard motion.isKnown, motion.distanceMeters >= settings.signals.movingStepMeters else { return }
        let changes = fieldChanges(context.fix, &state.fields)
        if motion.seconds <= settings.jumps.graceGapSeconds {
            examineFrozenHabits(context, motion, changes, &state, &judgement)
        }
        let speedFrozen = Int(state.fields.speedRun) >= settings.signals.frozenSpeedFixes
        guard speedFrozen || Int(state.fields.fieldsRun) >= settings.signals.frozenFieldFixes else { return }
        let weights = settings.risk.weights
        state.risk.add(speedFrozen ? weights.frozenSpeed : weights.frozenFields, at: context.streamTime, settings.risk)
        judgement.reasons.insert(.accuracyAnomaly)
        judgement.signals.insert(speedFrozen ? .frozenSpeed : .frozenFields)
        let evidence = LocationWarning.Evidence(
            speedMetersPerSecond: speedFrozen ? context.fix.speedMetersPerSecond : nil,
            accuracyMeters: context.fix.accuracyMeters,
            fixes: Int(max(state.fields.fieldsRun, state.fields.speedRun)))
        warn(.accuracyAnomaly, .flag, context, &state, &judgement, evidence)
    }

    /// An accuracy of 0 means that none was given; simulators say so too.
    @inline(__always)
    private func examineZeroAccuracy(_ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement) {
        guard context.fix.hasZeroAccuracy else {
            state.fields.zeroAccuracyRun = 0
            return
        }
        let run = min(state.fields.zeroAccuracyRun, 254) + 1
        state.fields.zeroAccuracyRun = run
        guard Int(run) >= settings.signals.zeroAccuracyFixes else { return }
        if Int(run) == settings.signals.zeroAccuracyFixes {
            state.risk.add(settings.risk.weights.zeroAccuracy, at: context.streamTime, settings.risk)
        }
        let evidence = LocationWarning.Evidence(accuracyMeters: 0, fixes: Int(run))
        warn(.accuracyAnomaly, .none, context, &state, &judgement, evidence)
    }

    /// Notes the fields, and tells which of them are others than at the fix before.
    @inline(__always)
    private func fieldChanges(_ fix: Fix, _ fields: inout DriverState.Fields) -> FieldChanges {
        let accuracy = Self.hash(fix.accuracyMeters)
        // An altitude of exactly 0 is a device without one.
        let altitude = Self.hash(fix.altitudeMeters.flatMap { $0 == 0 ? nil : $0 })
        let speed = Self.hash(fix.speedMetersPerSecond)
        var changes = FieldChanges()
        if accuracy != 0, fields.accuracyHash != 0 { changes.accuracy = accuracy != fields.accuracyHash }
        if altitude != 0, fields.altitudeHash != 0 { changes.altitude = altitude != fields.altitudeHash }
        if speed != 0, fields.speedHash != 0 { changes.speed = speed != fields.speedHash }
        let isFrozen = changes.accuracy == false && changes.altitude == false
        let isSpeedFrozen = isFrozen && changes.speed == false
        let hasFields = accuracy != 0 && altitude != 0
        fields.fieldsRun = isFrozen ? min(fields.fieldsRun, 254) + 1 : hasFields ? 1 : 0
        fields.speedRun = isSpeedFrozen ? min(fields.speedRun, 254) + 1 : hasFields && speed != 0 ? 1 : 0
        fields.accuracyHash = accuracy
        fields.altitudeHash = altitude
        fields.speedHash = speed
        return changes
    }

    /// Eight bits of a hash, never 0; 0 for no value.
    @inline(__always)
    private static func hash(_ value: Double?) -> UInt8 {
        guard let value else { return 0 }
        let bits = value.bitPattern
        let mixed = (bits ^ (bits >> 32)) &* 0xd6e8_feb8_6659_fd93
        return max(1, UInt8(truncatingIfNeeded: mixed >> 56))
    }

    /// Compares, over a window, the reported speeds with the way made.
    ///
    /// Two fixes are too few for that: phones stamp them early or late by most of a second. The straight line is
    /// compared from above, the way from fix to fix from below, so that neither bends nor noise contradict anything.
    @inline(__always)
    func examineSpeed(_ context: FixContext, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement)
    {
        guard !motion.isExcused, motion.seconds <= settings.jumps.graceGapSeconds else {
            state.window = DriverState.Window()
            return
        }
        if state.window.fixes == 0 {
            state.window.fixes = 1
            state.window.hasSpeeds = true
            state.window.start = state.live.point
            state.window.startAccuracy = state.live.accuracy
            state.window.at = state.live.at
        }
        if state.window.fixes < .max { state.window.fixes += 1 }
        state.window.path += motion.distanceMeters
        if let speed = context.fix.speedMetersPerSecond {
            state.window.reported += speed * motion.seconds
        } else {
            state.window.hasSpeeds = false
        }
        let seconds = state.window.at.seconds(until: context.at)
        guard seconds >= settings.signals.windowSeconds else { return }
        if state.window.hasSpeeds, Int(state.window.fixes) >= settings.signals.windowFixes {
            compareSpeeds(context, motion, seconds, &state, &judgement)
        }
        state.window = DriverState.Window()
    }

    private func compareSpeeds(
        _ context: FixContext, _ motion: Motion, _ seconds: Double, _ state: inout DriverState,
        _ judgement: inout Judgement
    ) {
        let displacement = Geodesy.nearbyDistanceMeters(from: state.window.start.coordinate, to: context.fix.coordinate)
        let reported = state.window.reported.meters
        let path = state.window.path.meters
        let accuracy = context.accuracyMeters(settings.quality) + state.window.startAccuracy.meters
        let speed = max(reported, displacement) / seconds
        let slack =
            settings.signals.speedContradictionMetersPerSecond * seconds
            + settings.signals.windowJitterSeconds * speed + accuracy
        let contradiction = max(displacement - reported, reported - path)
        // A speed that stopped changing, and is wrong, is no noise.
        let isFrozen =
            Double(state.fields.speed.overdue) >= 8 * settings.signals.frozenSpeedChanges && !isSettling(context, state)
            && (reported > path || isUnderWay(context, motion, state.window))
        let margin = isFrozen ? settings.signals.frozenSpeedMargin * slack : slack
        guard contradiction > margin + settings.signals.noiseFactor * learnedNoiseMeters(state) else { return }
        let evidence = LocationWarning.Evidence(
            distanceMeters: displacement, seconds: seconds, speedMetersPerSecond: reported / seconds,
            fixes: Int(state.window.fixes))
        let weight = settings.risk.weights.speedContradiction
        if isFrozen {
            accuse(.speedContradiction, weight, .kinematicAnomaly, context, &state, &judgement, evidence)
        } else {
            suspect(.speedContradiction, weight, &judgement, evidence)
        }
    }
}
