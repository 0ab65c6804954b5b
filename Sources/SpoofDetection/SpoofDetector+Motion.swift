import Model

/// What is found out of a fix before the rules look at it, and what becomes of one that is believed.
extension SpoofDetector {
    /// Examines a fix that is in order, and moves the live position and the filter if it is believed.
    func examine(_ context: inout FixContext, isUsable: Bool, _ tracks: inout TrackMemory) {
        noteChunk(&context, &tracks)
        settings.rules.forEveryFix.examine(&context, settings)
        guard isUsable, context.judgement.verdict == .accepted else { return }
        noteMotion(&context)
        noteFields(&context)
        settings.rules.forUsableFix.examine(&context, settings)
        guard context.passage != .isJump else { return }
        if context.passage == .startsOver {
            context.driver.breakOffSteps()
        } else if !context.motion.isRepeat {
            settings.rules.forContinuedTrack.examine(&context, settings)
            examineStep(&context)
        }
        accept(&context)
        settings.rules.forFilteredFix.examine(&context, settings)
    }

    /// Examines the step to a fix that continues the track.
    @inline(__always)
    private func examineStep(_ context: inout FixContext) {
        let motion = context.motion
        // After an old position that was sent again, it is unknown how long a step took.
        guard !motion.isExcused, motion.seconds <= settings.jumps.graceGapSeconds, motion.seconds > 0,
            motion.reachSeconds <= motion.seconds + settings.signals.placeToleranceSeconds
        else {
            context.driver.breakOffSteps()
            return
        }
        let step = TrackStep(context, settings)
        context.step = step
        settings.rules.forStep.examine(&context, settings)
        context.driver.steps.take(step)
    }

    /// Adds the fix to the driver's chunk of track; one that is complete and new is remembered.
    @inline(__always)
    private func noteChunk(_ context: inout FixContext, _ tracks: inout TrackMemory) {
        let before = context.driver.track
        guard let hash = context.driver.track.add(context.fix.coordinate, settings.replay) else { return }
        let isRepeated = tracks.holds(chunk: hash, at: context.partitionTime)
        context.chunk = TrackChunk(
            hash: hash, isRepeated: isRepeated, fixes: Int(before.fixes) + 1,
            lastPoints: (before.point, context.driver.track.point))
        guard !isRepeated else { return }
        tracks.remember(chunk: hash, at: context.partitionTime)
        context.judgement.completedTrackChunk = hash
    }

    /// Finds out how the fix connects to the last one believed.
    @inline(__always)
    private func noteMotion(_ context: inout FixContext) {
        let live = context.driver.live
        guard live.isKnown else {
            hear(&context)
            return
        }
        var motion = Motion()
        motion.isKnown = true
        measure(&motion, context, since: live)
        // By the intervals before: a long one is no excuse for itself.
        motion.breaksHabits =
            motion.seconds > settings.jumps.graceGapSeconds
            && motion.seconds > settings.signals.gapIntervals * Double(context.driver.steps.intervalSeconds)
        let stands = context.fix.speedMetersPerSecond.map { $0 < settings.smoothing.haltSpeedMetersPerSecond }
        motion.isRepeat = GridPoint(context.fix.coordinate) == live.point && stands != true
        motion.wasStanding = stands == true || hadAllButStopped(context.driver.steps)
        // A position sent again is not heard: the receiver may have lost its satellites since.
        if !motion.isRepeat || motion.wasStanding { hear(&context) }
        let fixesSinceGap = context.driver.live.fixesSinceGap
        let coarse = settings.quality.coarseAccuracyMeters
        motion.isInGrace = Int(fixesSinceGap) <= settings.jumps.graceFixes
        let wasCoarse = live.accuracy.meters > coarse
        motion.isExcused = motion.isInGrace || wasCoarse || context.accuracyMeters(settings.quality) > coarse
        // The filter never heard what was refused by the rate: its gaps are longer than those of the device. A position
        // that is sent again tells nothing new.
        if !motion.isRepeat {
            let isBroken = fixesSinceGap <= 1 || wasCoarse || motion.seconds > settings.jumps.graceGapSeconds
            motion.continuity = isBroken ? .broken : motion.isInGrace ? .young : .unbroken
        }
        context.motion = motion
    }

    /// The way and the time from the last fix believed.
    @inline(__always)
    private func measure(_ motion: inout Motion, _ context: FixContext, since live: DriverState.Live) {
        let last = live.point.coordinate
        let way = TangentPlane(origin: last).point(of: context.fix.coordinate)
        motion.east = way.east
        motion.north = way.north
        motion.distanceMeters =
            Geodesy.isNearby(last, context.fix.coordinate)
            ? Motion.length(way.east, way.north) : Geodesy.distanceMeters(from: last, to: context.fix.coordinate)
        motion.seconds = live.at.seconds(until: context.at)
        // A device time that stands still or steps back says nothing of the interval; the receipt does.
        if motion.seconds <= 0 { motion.seconds = max(0, live.receivedAt.seconds(until: context.receivedAt)) }
        motion.secondsAtPlace = max(motion.seconds, live.pointSince.seconds(until: context.at))
    }

    /// Whether the last step was that of a vehicle that was about to stop.
    @inline(__always)
    private func hadAllButStopped(_ steps: DriverState.Steps) -> Bool {
        steps.milliseconds > 0 && steps.meters < settings.signals.stoppingMetersPerSecond * steps.seconds
    }

    /// Notes that the driver was heard with a usable fix; after a gap the first fixes are excused once more.
    @inline(__always)
    func hear(_ context: inout FixContext) {
        let silence = context.driver.live.heardAt.seconds(until: context.at)
        // What lies between two sessions is no interval.
        if context.driver.live.fixesSinceGap > 0 { context.driver.steps.takeInterval(silence) }
        if silence > settings.jumps.graceGapSeconds { context.driver.live.fixesSinceGap = 0 }
        if context.driver.live.fixesSinceGap < .max { context.driver.live.fixesSinceGap += 1 }
        context.driver.live.heardAt = ShortTime(context.at)
    }

    /// Finds out which fields changed, while the vehicle moves, and learns from that.
    @inline(__always)
    private func noteFields(_ context: inout FixContext) {
        let least = max(
            settings.signals.movingStepMeters, settings.signals.movingMetersPerSecond * context.motion.seconds)
        guard context.motion.isKnown, context.motion.distanceMeters >= least else { return }
        var reading = FieldReading(changes: context.driver.fields.take(context.fix))
        if !context.motion.breaksHabits {
            reading.due = context.driver.fields.learn(
                reading.changes, saysItStands: context.saysItStands(settings),
                habitFixes: settings.signals.habitFixes)
        }
        context.fields = reading
    }

    /// Moves the live position and the filter.
    @inline(__always)
    private func accept(_ context: inout FixContext) {
        let motion = context.motion
        if context.passage == .startsOver {
            context.driver.window = DriverState.Window()
            context.judgement.estimate = filter.restart(&context.driver.motion, at: context.fix)
        } else if motion.isRepeat, motion.secondsAtPlace < settings.signals.staleSeconds,
            let ahead = filter.extrapolate(
                context.driver.motion, repeating: context.fix, by: motion.seconds,
                lastMetersPerSecond: context.driver.steps.meanMetersPerSecond)
        {
            context.judgement.estimate = ahead
            return
        } else {
            context.filterMove = FilterMove(origin: context.driver.motion.coordinate)
            context.judgement.estimate = filter.update(
                &context.driver.motion, with: context.fix, after: motion.seconds, motion.continuity)
        }
        if !motion.isRepeat { context.driver.live.pointSince = ShortTime(context.at) }
        context.driver.live.isKnown = true
        context.driver.live.point = GridPoint(context.fix.coordinate)
        context.driver.live.accuracy = ShortLength(meters: context.accuracyMeters(settings.quality))
        context.driver.live.at = ShortTime(context.at)
        context.driver.live.receivedAt = ShortTime(context.receivedAt)
    }
}
