/// Measurements before the rules run, and the update of the state with an accepted fix.
extension SpoofDetector {
    /// Runs the rules on a fix in order; if it is accepted, updates the last position and the filter.
    func applyRules(_ context: inout FixContext, isUsable: Bool, _ tracks: inout TrackMemory) {
        hashTrack(&context, &tracks)
        settings.rules.forEveryFix.examine(&context, settings)
        guard isUsable, context.result.verdict == .accepted else { return }
        measureMotion(&context)
        compareFields(&context)
        settings.rules.forUsableFix.examine(&context, settings)
        guard context.trackContinuity != .isJump else { return }
        if context.trackContinuity == .startsOver {
            context.driver.interruptSteps()
        } else if !context.motion.isRepeat {
            settings.rules.forContinuedTrack.examine(&context, settings)
            evaluateStep(&context)
        }
        accept(&context)
        settings.rules.forFilteredFix.examine(&context, settings)
    }

    /// Runs the step rules on a fix that continues the track.
    @inline(__always) private func evaluateStep(_ context: inout FixContext) {
        let motion = context.motion
        // After a repeated position, the duration of the step is unknown.
        guard !motion.isExempt, motion.seconds <= settings.jumps.graceGapSeconds, motion.seconds > 0,
            motion.reachSeconds <= motion.seconds + settings.signals.placeToleranceSeconds
        else {
            context.driver.interruptSteps()
            return
        }
        let step = TrackStep(context, settings)
        context.step = step
        settings.rules.forStep.examine(&context, settings)
        context.driver.steps.record(step)
    }

    /// Adds the fix to the chunk of track; stores a completed chunk that is new.
    @inline(__always) private func hashTrack(_ context: inout FixContext, _ tracks: inout TrackMemory) {
        let before = context.driver.track
        guard let hash = context.driver.track.add(context.fix.coordinate, settings.replay) else { return }
        let isRepeated = tracks.holds(chunk: hash, at: context.partitionTime)
        context.chunk = TrackChunk(
            hash: hash, isRepeated: isRepeated, fixes: Int(before.fixes) + 1,
            lastPoints: (before.point, context.driver.track.point))
        guard !isRepeated else { return }
        tracks.remember(chunk: hash, at: context.partitionTime)
        context.result.completedTrackChunk = hash
    }

    @inline(__always) private func measureMotion(_ context: inout FixContext) {
        let last = context.driver.lastAccepted
        guard last.isKnown else {
            recordUsableFix(&context)
            return
        }
        var motion = Motion()
        motion.isKnown = true
        measureStep(&motion, context, since: last)
        // Uses the intervals before this one, so that a long interval does not raise its own limit.
        motion.breaksHabits =
            motion.seconds > settings.jumps.graceGapSeconds
            && motion.seconds > settings.signals.gapIntervals * Double(context.driver.steps.intervalSeconds)
        let stands = context.fix.speedMetersPerSecond.map { $0 < settings.smoothing.haltSpeedMetersPerSecond }
        motion.isRepeat = GridPoint(context.fix.coordinate) == last.point && stands != true
        motion.wasStanding = stands == true || wasStopping(context.driver.steps)
        // Repeated positions are not recorded, because the receiver may have lost its satellites.
        if !motion.isRepeat || motion.wasStanding { recordUsableFix(&context) }
        let fixesSinceGap = context.driver.lastAccepted.fixesSinceGap
        let coarse = settings.quality.coarseAccuracyMeters
        motion.isInGrace = Int(fixesSinceGap) <= settings.jumps.graceFixes
        let wasCoarse = last.accuracy.meters > coarse
        motion.isExempt = motion.isInGrace || wasCoarse || context.accuracyMeters(settings.quality) > coarse
        // Throttled fixes never reach the filter, whose gaps are therefore longer than the device's.
        if !motion.isRepeat {
            let isBroken = fixesSinceGap <= 1 || wasCoarse || motion.seconds > settings.jumps.graceGapSeconds
            motion.continuity = isBroken ? .broken : motion.isInGrace ? .young : .unbroken
        }
        context.motion = motion
    }

    /// Measures distance and time since the last accepted fix.
    @inline(__always)
    private func measureStep(_ motion: inout Motion, _ context: FixContext, since last: DriverState.LastAcceptedFix) {
        let lastPosition = last.point.coordinate
        let offset = TangentPlane(origin: lastPosition).point(of: context.fix.coordinate)
        motion.east = offset.east
        motion.north = offset.north
        motion.distanceMeters =
            Geodesy.isNearby(lastPosition, context.fix.coordinate)
            ? Motion.length(offset.east, offset.north)
            : Geodesy.distanceMeters(from: lastPosition, to: context.fix.coordinate)
        motion.seconds = last.at.seconds(until: context.at)
        // If the device time is frozen or steps back, the receipt gives the interval.
        if motion.seconds <= 0 { motion.seconds = max(0, last.receivedAt.seconds(until: context.receivedAt)) }
        motion.secondsAtPlace = max(motion.seconds, last.pointSince.seconds(until: context.at))
    }

    /// Returns whether the vehicle was about to stop in the last step.
    @inline(__always) private func wasStopping(_ steps: DriverState.Steps) -> Bool {
        steps.milliseconds > 0 && steps.meters < settings.signals.stoppingMetersPerSecond * steps.seconds
    }

    /// Records a usable fix; after a gap, the grace period starts again.
    @inline(__always) func recordUsableFix(_ context: inout FixContext) {
        let silence = context.driver.lastAccepted.lastUsableAt.seconds(until: context.at)
        // The time between two sessions is not an interval.
        if context.driver.lastAccepted.fixesSinceGap > 0 { context.driver.steps.learnInterval(silence) }
        if silence > settings.jumps.graceGapSeconds { context.driver.lastAccepted.fixesSinceGap = 0 }
        if context.driver.lastAccepted.fixesSinceGap < .max { context.driver.lastAccepted.fixesSinceGap += 1 }
        context.driver.lastAccepted.lastUsableAt = ShortTime(context.at)
    }

    /// Compares the fields with the last fix and learns habits, while the vehicle moves.
    @inline(__always) private func compareFields(_ context: inout FixContext) {
        let least = max(
            settings.signals.movingStepMeters, settings.signals.movingMetersPerSecond * context.motion.seconds)
        guard context.motion.isKnown, context.motion.distanceMeters >= least else { return }
        var reading = FieldReading(changes: context.driver.fields.record(context.fix))
        if !context.motion.breaksHabits {
            reading.due = context.driver.fields.learn(
                reading.changes, reportsStandstill: context.reportsStandstill(settings),
                habitFixes: settings.signals.habitFixes)
        }
        context.fields = reading
    }

    /// Updates the last accepted position and the filter.
    @inline(__always) private func accept(_ context: inout FixContext) {
        let motion = context.motion
        if context.trackContinuity == .startsOver {
            context.driver.window = DriverState.Window()
            context.result.estimate = filter.restart(&context.driver.motion, at: context.fix)
        } else if motion.isRepeat, motion.secondsAtPlace < settings.signals.staleSeconds,
            let ahead = filter.extrapolate(
                context.driver.motion, repeating: context.fix, by: motion.seconds,
                lastMetersPerSecond: context.driver.steps.meanMetersPerSecond)
        {
            context.result.estimate = ahead
            return
        } else {
            context.filterOrigin = context.driver.motion.coordinate
            context.result.estimate = filter.update(
                &context.driver.motion, with: context.fix, after: motion.seconds, motion.continuity)
        }
        if !motion.isRepeat { context.driver.lastAccepted.pointSince = ShortTime(context.at) }
        context.driver.lastAccepted.isKnown = true
        context.driver.lastAccepted.point = GridPoint(context.fix.coordinate)
        context.driver.lastAccepted.accuracy = ShortLength(meters: context.accuracyMeters(settings.quality))
        context.driver.lastAccepted.at = ShortTime(context.at)
        context.driver.lastAccepted.receivedAt = ShortTime(context.receivedAt)
    }
}
