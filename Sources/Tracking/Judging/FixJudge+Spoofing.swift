/// The spoof signals. What contradicts physics or is admitted by the device rejects the fix; the rest adds to the risk.
extension FixJudge {
    /// Examines a fix that is in order, and moves the live position and the filter if it is believed.
    func examine(
        _ context: FixContext, isUsable: Bool, _ state: inout DriverState, _ tracks: inout TrackMemory,
        _ judgement: inout Judgement
    ) {
        examineDevice(context, &state, &judgement)
        examineTrack(context, &state, &tracks, &judgement)
        examineRhythm(context, &state, &judgement)
        guard isUsable, judgement.verdict == .accepted else { return }
        let motion = motion(of: context, &state)
        examineFields(context, motion, &state, &judgement)
        let passage = passage(of: context, motion, &state, &judgement)
        guard passage != .isJump else { return }
        if passage == .startsOver {
            state.steps.breakOff()
            state.drift.east = 0
            state.drift.north = 0
        } else if !motion.isRepeat {
            examineSpeed(context, motion, &state, &judgement)
            examineStep(context, motion, &state, &judgement)
        }
        accept(context, motion, passage, &state, &judgement)
    }

    /// How a fix connects to the last one believed.
    struct Motion {
        /// Whether there is a last one.
        var isKnown = false
        var distanceMeters = 0.0
        /// The way from it, in metres, on a plane around it.
        var east = 0.0
        var north = 0.0
        /// Since the last one believed.
        var seconds = 0.0
        /// Since the device first gave that position.
        var secondsAtPlace = 0.0
        /// Whether the vehicle stood there all that time, rather than the device having nothing new to tell.
        var wasStanding = false
        /// How long it may have been under way.
        var reachSeconds: Double { wasStanding ? seconds : secondsAtPlace }
        /// The same position again, to the last bit, though it did not say that it stands.
        var isRepeat = false
        /// Kinematic signals count nothing, and a jump only starts the filter over.
        var isExcused = true
        /// Whether a fix that does not fit the prediction starts the filter over, even where it is no jump.
        var continuity = KinematicFilter.Continuity.unbroken
    }

    enum Passage {
        /// Within reach of the last fix believed.
        case continues
        /// Elsewhere, and the filter starts over there.
        case startsOver
        /// Elsewhere, and not believed.
        case isJump
    }

    @inline(__always)
    private func motion(of context: FixContext, _ state: inout DriverState) -> Motion {
        var motion = Motion()
        guard state.live.isKnown else {
            hear(context, &state)
            return motion
        }
        motion.isKnown = true
        let last = state.live.point.coordinate
        let way = TangentPlane(origin: last).point(of: context.fix.coordinate)
        motion.east = way.east
        motion.north = way.north
        motion.distanceMeters =
            Geodesy.isNearby(last, context.fix.coordinate)
            ? Self.length(way.east, way.north) : Geodesy.distanceMeters(from: last, to: context.fix.coordinate)
        motion.seconds = state.live.at.seconds(until: context.at)
        // A device time that stands still or steps back says nothing of the interval; the receipt does.
        if motion.seconds <= 0 { motion.seconds = max(0, state.live.receivedAt.seconds(until: context.receivedAt)) }
        motion.secondsAtPlace = max(motion.seconds, state.live.pointSince.seconds(until: context.at))
        let stands = context.fix.speedMetersPerSecond.map { $0 < settings.smoothing.haltSpeedMetersPerSecond }
        motion.isRepeat = GridPoint(context.fix.coordinate) == state.live.point && stands != true
        motion.wasStanding = stands == true || hadAllButStopped(state)
        // A position sent again is not heard: the receiver may have lost its satellites since.
        if !motion.isRepeat || motion.wasStanding { hear(context, &state) }
        let coarse = settings.quality.coarseAccuracyMeters
        let isInGrace = Int(state.live.fixesSinceGap) <= settings.jumps.graceFixes
        let wasCoarse = state.live.accuracy.meters > coarse
        motion.isExcused = isInGrace || wasCoarse || context.accuracyMeters(settings.quality) > coarse
        // The filter never heard what was throttled: its gaps are longer than those of the device. A position that is
        // sent again tells nothing new.
        if !motion.isRepeat {
            let isBroken =
                state.live.fixesSinceGap <= 1 || wasCoarse || motion.seconds > settings.jumps.graceGapSeconds
            motion.continuity = isBroken ? .broken : isInGrace ? .young : .unbroken
        }
        return motion
    }

    /// Whether the last step was that of a vehicle that was about to stop.
    @inline(__always)
    private func hadAllButStopped(_ state: DriverState) -> Bool {
        state.steps.milliseconds > 0
            && state.steps.meters < settings.signals.stoppingMetersPerSecond * state.steps.seconds
    }

    /// What the device itself admits.
    @inline(__always)
    private func examineDevice(_ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement) {
        if context.fix.isMock {
            state.risk.add(settings.risk.weights.mock, at: context.streamTime, settings.risk)
            judgement.signals.insert(.device)
            reject(&judgement, .mockLocation)
            warn(.mockLocation, .reject, context, &state, &judgement)
        }
        if context.fix.integrity == .failed {
            state.risk.add(settings.risk.weights.failedIntegrity, at: context.streamTime, settings.risk)
            judgement.reasons.insert(.deviceIntegrity)
            if settings.risk.rejectsFailedIntegrity { judgement.verdict = .rejected }
            let action: LocationWarning.Action = settings.risk.rejectsFailedIntegrity ? .reject : .flag
            warn(.deviceIntegrity, action, context, &state, &judgement)
        }
    }

    /// Whether this stretch was driven before, point by point.
    @inline(__always)
    private func examineTrack(
        _ context: FixContext, _ state: inout DriverState, _ tracks: inout TrackMemory, _ judgement: inout Judgement
    ) {
        if let chunk = state.track.add(context.fix.coordinate, settings.replay) {
            if let firstSeen = tracks.firstSeen(chunk: chunk) {
                if context.streamTime.seconds(since: firstSeen) >= settings.replay.minimumAgeSeconds {
                    if state.track.matches < .max { state.track.matches += 1 }
                    state.risk.add(settings.risk.weights.repeatedChunk, at: context.streamTime, settings.risk)
                    judgement.signals.insert(.repeatedTrack)
                }
            } else {
                state.track.matches = 0
                tracks.remember(chunk: chunk, at: context.streamTime)
                judgement.completedTrackChunk = chunk
            }
        }
        guard Int(state.track.matches) >= settings.replay.chunksBeforeReject else { return }
        reject(&judgement, .replayedTrack)
        let evidence = LocationWarning.Evidence(fixes: Int(state.track.matches) * settings.replay.minimumChunkFixes)
        warn(.replayedTrack, .reject, context, &state, &judgement, evidence)
    }

    /// The jump rule, and what becomes of a jump.
    private func passage(
        of context: FixContext, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement
    ) -> Passage {
        guard motion.isKnown else { return .startsOver }
        let accuracy = context.accuracyMeters(settings.quality)
        let isFar = motion.distanceMeters > reach(motion.reachSeconds, accuracy, state.live.accuracy.meters)
        let isTooFast = !isFar && !motion.isExcused && isOutOfWindow(context, motion, accuracy, state.window)
        let isHasty = !isFar && !isTooFast && isBeyondAcceleration(context, motion, accuracy, state)
        guard isFar || isTooFast || isHasty else { return passageWithinReach(context, motion, &state, &judgement) }
        if motion.isExcused {
            state.jump = DriverState.Jump()
            return .startsOver
        }
        let agrees = agreesWithJump(context, accuracy, state.jump)
        // A device that lost its satellites where it stood, as in a garage, may appear anywhere near.
        // And where a track is young, its beginning may be what was wrong.
        let isYoung = Int(state.live.fixesSinceGap) <= settings.jumps.youngFixes
        let mayHaveLeft = isYoung || (motion.wasStanding && motion.secondsAtPlace > motion.seconds)
        let isApart = state.jump.at.seconds(until: context.at) >= settings.jumps.minimumConfirmationSeconds
        // A receiver that is led astray confirms its own error: while it is, only what a vehicle can reach is believed.
        if agrees, isApart, Int(state.jump.fixes) >= settings.jumps.confirmations, !context.isDisturbed {
            state.jump = DriverState.Jump()
            judgement.signals.insert(.relocation)
            let weight = mayHaveLeft ? 0 : settings.risk.weights.unreachableRelocation
            accuse(of: .relocated, mayHaveLeft ? .none : .flag, weighing: weight, &judgement, evidence(of: motion))
            return .startsOver
        }
        let isTeleportation = motion.distanceMeters > settings.jumps.teleportationMeters
        let reason: Reasons = isHasty ? .kinematicAnomaly : isTeleportation ? .teleportation : .impossibleSpeed
        judgement.verdict = .rejected
        let weights = settings.risk.weights
        // Devices that send a position again at once do not confirm it by that.
        let isSameAgain = agrees && !isApart
        let weight = isSameAgain ? 0 : state.jump.fixes > 0 ? weights.jumpAgain : weights.jump
        judgement.signals.insert(isHasty ? .acceleration : .jump)
        if isHasty || mayHaveLeft { judgement.skyWeight += Float(weight) }
        accuse(
            of: reason, .reject, weighing: isHasty || mayHaveLeft ? 0 : weight, &judgement, evidence(of: motion))
        if isSameAgain { return .isJump }
        if !agrees { state.jump.blamedFixes = 0 }
        state.jump.fixes = agrees ? min(state.jump.fixes, .max - 1) + 1 : 1
        state.jump.point = GridPoint(context.fix.coordinate)
        state.jump.accuracy = ShortLength(meters: accuracy)
        state.jump.at = ShortTime(context.at)
        return .isJump
    }

    /// A fix within reach: the jump before it was an outlier, or time has brought its place within reach.
    @inline(__always)
    private func passageWithinReach(
        _ context: FixContext, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement
    ) -> Passage {
        guard state.jump.fixes > 0 else { return .continues }
        let blamedFixes = state.jump.blamedFixes
        let accuracy = context.accuracyMeters(settings.quality)
        let toJump = Geodesy.nearbyDistanceMeters(from: state.jump.point.coordinate, to: context.fix.coordinate)
        let isThere = agreesWithJump(context, accuracy, state.jump) && toJump < motion.distanceMeters
        let isStray = state.jump.fixes == 1 && blamedFixes == 1
        state.jump = DriverState.Jump()
        let weights = settings.risk.weights
        guard isThere else {
            // One fix gone astray, and the track goes on as if nothing had been: reflections do that, and nobody gains
            // by it. It was rejected; what it weighs comes to what a bad sky weighs.
            if isStray {
                state.risk.remove(weights.jump)
                state.risk.addSky(weights.strayFix, at: context.streamTime, settings.risk)
                judgement.isStrayOver = true
            }
            return .continues
        }
        if blamedFixes > 0 {
            state.risk.remove(weights.jump + weights.jumpAgain * (Double(blamedFixes) - 1))
            judgement.isExonerated = true
        }
        // A vehicle can be there now, but could not when it said so first.
        if !context.isDisturbed { state.risk.hold(isRelocation: false, at: context.streamTime, settings.risk) }
        judgement.reasons.insert(.relocated)
        warn(.relocated, .none, context, &state, &judgement, evidence(of: motion))
        return .startsOver
    }

    /// The furthest that two fixes can lie apart, in metres.
    @inline(__always)
    private func reach(_ seconds: Double, _ accuracy: Double, _ otherAccuracy: Double) -> Double {
        settings.jumps.maximumSpeedMetersPerSecond * (seconds + settings.jumps.stampJitterSeconds)
            + settings.jumps.accuracyFactor * (accuracy + otherAccuracy)
    }

    /// Whether no vehicle accelerates that much, however it drove before.
    ///
    /// Over a few seconds only: for less, the jitter of the stamps is too large a part.
    @inline(__always)
    private func isBeyondAcceleration(
        _ context: FixContext, _ motion: Motion, _ accuracy: Double, _ state: DriverState
    ) -> Bool {
        guard !motion.isExcused, motion.reachSeconds >= settings.jumps.accelerationSeconds else { return false }
        let east = Double(state.motion.eastMetersPerSecond)
        let north = Double(state.motion.northMetersPerSecond)
        let before = max((east * east + north * north).squareRoot(), state.steps.speedMetersPerSecond ?? 0)
        let fastest = max(before, context.fix.speedMetersPerSecond ?? 0)
        let seconds = motion.reachSeconds + settings.jumps.stampJitterSeconds
        let way = (fastest + settings.signals.maximumAccelerationMetersPerSecondSquared / 2 * seconds) * seconds
        let allowance = settings.jumps.accuracyFactor * (accuracy + state.live.accuracy.meters)
        return motion.distanceMeters > way + allowance
    }

    /// The same rule from the beginning of the window, where the jitter of the stamps hides less.
    @inline(__always)
    private func isOutOfWindow(
        _ context: FixContext, _ motion: Motion, _ accuracy: Double, _ window: DriverState.Window
    ) -> Bool {
        guard window.fixes > 1 else { return false }
        let seconds = window.at.seconds(until: context.at)
        let furthest = reach(seconds, accuracy, window.startAccuracy.meters)
        // The straight line is no longer than the way that was added up: with a margin for its rounding, and while it
        // is not saturated, that settles nearly every fix.
        let way = window.path.meters + motion.distanceMeters + 0.1 * Double(window.fixes)
        if way < furthest, window.path.bits < .max { return false }
        let distance = Geodesy.nearbyDistanceMeters(from: window.start.coordinate, to: context.fix.coordinate)
        return seconds > 0 && distance > furthest
    }

    @inline(__always)
    private func agreesWithJump(_ context: FixContext, _ accuracy: Double, _ jump: DriverState.Jump) -> Bool {
        guard jump.fixes > 0 else { return false }
        let seconds = max(0, jump.at.seconds(until: context.at))
        let distance = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        return distance <= reach(seconds, accuracy, jump.accuracy.meters)
    }

    private func evidence(of motion: Motion) -> LocationWarning.Evidence {
        LocationWarning.Evidence(
            distanceMeters: motion.distanceMeters, seconds: motion.seconds,
            speedMetersPerSecond: motion.seconds > 0 ? motion.distanceMeters / motion.seconds : nil)
    }

    /// Moves the live position and the filter.
    @inline(__always)
    private func accept(
        _ context: FixContext, _ motion: Motion, _ passage: Passage, _ state: inout DriverState,
        _ judgement: inout Judgement
    ) {
        let accuracy = context.accuracyMeters(settings.quality)
        if passage == .startsOver {
            state.window = DriverState.Window()
            judgement.estimate = filter.restart(&state.motion, at: context.fix)
        } else if motion.isRepeat, motion.secondsAtPlace < settings.signals.staleSeconds,
            let ahead = filter.extrapolate(
                state.motion, repeating: context.fix, by: motion.seconds,
                lastMetersPerSecond: state.steps.meanMetersPerSecond)
        {
            judgement.estimate = ahead
            return
        } else {
            judgement.estimate = update(context, motion, &state, &judgement)
        }
        if !motion.isRepeat { state.live.pointSince = ShortTime(context.at) }
        state.live.isKnown = true
        state.live.point = GridPoint(context.fix.coordinate)
        state.live.accuracy = ShortLength(meters: accuracy)
        state.live.at = ShortTime(context.at)
        state.live.receivedAt = ShortTime(context.receivedAt)
    }

    /// Moves the filter; that it gave in to fixes far from where the track went on is a signal.
    @inline(__always)
    private func update(
        _ context: FixContext, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement
    ) -> Estimate {
        let hasHeldOff = state.motion.rejects.count >= 2
        let before = state.motion.coordinate
        let estimate = filter.update(&state.motion, with: context.fix, after: motion.seconds, motion.continuity)
        guard hasHeldOff, !motion.isExcused, motion.continuity == .unbroken, state.motion.rejects.count == 0,
            state.motion.coordinate == context.fix.coordinate
        else { return estimate }
        let distance = Geodesy.nearbyDistanceMeters(from: before, to: context.fix.coordinate)
        guard distance > settings.signals.restartMeters else { return estimate }
        suspect(
            .filterRestart, settings.risk.weights.filterRestart, &judgement,
            LocationWarning.Evidence(distanceMeters: distance, seconds: motion.seconds))
        return estimate
    }
}
