/// Signals that only add to the risk.
extension FixJudge {
    /// Fields that stay the same while the vehicle moves, and accuracies of exactly zero.
    @inline(__always)
    func examineFields(
        _ hearing: Hearing, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement
    ) {
        examineZeroAccuracy(hearing, &state, &judgement)
        guard motion.isKnown, motion.distanceMeters >= settings.signals.movingStepMeters else { return }
        let hashes = hashes(of: hearing.fix)
        let run = hashes.fields != 0 && hashes.fields == state.fields.fields
        let speedRun = hashes.fieldsAndSpeed != 0 && hashes.fieldsAndSpeed == state.fields.fieldsAndSpeed
        state.fields.fields = hashes.fields
        state.fields.fieldsAndSpeed = hashes.fieldsAndSpeed
        state.fields.fieldsRun = run ? min(state.fields.fieldsRun, 254) + 1 : hashes.fields != 0 ? 1 : 0
        state.fields.speedRun = speedRun ? min(state.fields.speedRun, 254) + 1 : hashes.fieldsAndSpeed != 0 ? 1 : 0
        let speedFrozen = Int(state.fields.speedRun) >= settings.signals.frozenSpeedFixes
        guard speedFrozen || Int(state.fields.fieldsRun) >= settings.signals.frozenFieldFixes else { return }
        let weights = settings.risk.weights
        state.risk.add(speedFrozen ? weights.frozenSpeed : weights.frozenFields, at: hearing.laneTime, settings.risk)
        judgement.reasons.insert(.accuracyAnomaly)
        let evidence = LocationWarning.Evidence(
            speedMetersPerSecond: speedFrozen ? hearing.fix.speedMetersPerSecond : nil,
            accuracyMeters: hearing.fix.accuracyMeters,
            fixes: Int(max(state.fields.fieldsRun, state.fields.speedRun)))
        warn(.accuracyAnomaly, .flag, hearing, &state, &judgement, evidence)
    }

    /// An accuracy of 0 means that none was given; simulators say so too.
    @inline(__always)
    private func examineZeroAccuracy(_ hearing: Hearing, _ state: inout DriverState, _ judgement: inout Judgement) {
        guard hearing.fix.hasZeroAccuracy else {
            state.fields.zeroAccuracyRun = 0
            return
        }
        let run = min(state.fields.zeroAccuracyRun, 254) + 1
        state.fields.zeroAccuracyRun = run
        guard Int(run) >= settings.signals.zeroAccuracyFixes else { return }
        if Int(run) == settings.signals.zeroAccuracyFixes {
            state.risk.add(settings.risk.weights.zeroAccuracy, at: hearing.laneTime, settings.risk)
        }
        let evidence = LocationWarning.Evidence(accuracyMeters: 0, fixes: Int(run))
        warn(.accuracyAnomaly, .none, hearing, &state, &judgement, evidence)
    }

    /// An altitude of exactly 0 is a device without one.
    @inline(__always)
    private func hashes(of fix: Fix) -> (fields: UInt16, fieldsAndSpeed: UInt16) {
        guard let accuracy = fix.accuracyMeters, let altitude = fix.altitudeMeters, altitude != 0 else { return (0, 0) }
        let fields = accuracy.bitPattern &* 0x9e37_79b9_7f4a_7c15 ^ altitude.bitPattern
        guard let speed = fix.speedMetersPerSecond else { return (Self.folded(fields), 0) }
        return (Self.folded(fields), Self.folded(fields &* 0x9e37_79b9_7f4a_7c15 ^ speed.bitPattern))
    }

    /// Sixteen bits of a hash, never 0.
    @inline(__always)
    private static func folded(_ value: UInt64) -> UInt16 {
        let mixed = (value ^ (value >> 32)) &* 0xd6e8_feb8_6659_fd93
        return max(1, UInt16(truncatingIfNeeded: mixed >> 48))
    }

    /// Compares, over a window, the reported speeds with the way made.
    ///
    /// Two fixes are too few for that: phones stamp them early or late by most of a second. The straight line is
    /// compared from above, the way from fix to fix from below, so that neither bends nor noise contradict anything.
    @inline(__always)
    func examineSpeed(_ hearing: Hearing, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement) {
        guard !motion.isExcused, motion.seconds <= settings.jumps.graceGapSeconds else {
            state.window = DriverState.Window()
            return
        }
        if state.window.fixes == 0 {
            state.window.fixes = 1
            state.window.hasSpeeds = true
            state.window.start = state.live.point
            state.window.startAccuracyMeters = state.live.accuracyMeters
            state.window.at = ShortTime(Timestamp(milliseconds: state.live.milliseconds))
        }
        if state.window.fixes < .max { state.window.fixes += 1 }
        state.window.pathMeters += Float(motion.distanceMeters)
        if let speed = hearing.fix.speedMetersPerSecond {
            state.window.reportedMeters += Float(speed * motion.seconds)
        } else {
            state.window.hasSpeeds = false
        }
        let seconds = state.window.at.seconds(until: hearing.at)
        guard seconds >= settings.signals.windowSeconds else { return }
        if state.window.hasSpeeds, Int(state.window.fixes) >= settings.signals.windowFixes {
            compareSpeeds(hearing, seconds, &state, &judgement)
        }
        state.window = DriverState.Window()
    }

    private func compareSpeeds(
        _ hearing: Hearing, _ seconds: Double, _ state: inout DriverState, _ judgement: inout Judgement
    ) {
        let displacement = Geodesy.nearbyDistanceMeters(from: state.window.start.coordinate, to: hearing.fix.coordinate)
        let reported = Double(state.window.reportedMeters)
        let path = Double(state.window.pathMeters)
        let accuracy = hearing.accuracyMeters(settings.quality) + Double(state.window.startAccuracyMeters)
        let speed = max(reported, displacement) / seconds
        let slack =
            settings.signals.speedContradictionMetersPerSecond * seconds
            + settings.signals.windowJitterSeconds * speed + accuracy
        guard displacement - reported > slack || reported - path > slack else { return }
        let evidence = LocationWarning.Evidence(
            distanceMeters: displacement, seconds: seconds, speedMetersPerSecond: reported / seconds,
            fixes: Int(state.window.fixes))
        accuse(
            of: .kinematicAnomaly, .none, weighing: settings.risk.weights.speedContradiction, &judgement, evidence)
    }
}
