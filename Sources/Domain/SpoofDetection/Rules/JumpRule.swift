/// Rule that rejects fixes that are unreachable from the last accepted fix.
///
/// Later fixes confirm the new position as a relocation, or are reachable again. Applies to gaps of any length, first
/// fixes and poor accuracies. Sets ``FixContext/trackContinuity``; keeps ``DriverState/Jump`` and
/// ``DriverState/OverspeedStart``.
package struct JumpRule: SpoofRule, Equatable {
    /// Weight of the first fix of a jump, in log-odds.
    package var weight = 3.0
    /// Weight of each further fix that agrees with a rejected jump, in log-odds.
    package var repeatWeight = 1.5
    /// Weight of a single outlier, in log-odds; replaces ``weight`` if the next fix continues the track.
    package var strayWeight = 1.5
    /// Weight of an unreachable relocation, in log-odds.
    package var relocationWeight = 3.0
    /// Minimum distance of a teleportation, in metres.
    package var teleportationMeters = 1000.0
    /// Fixes that must agree with a rejected jump to make it a relocation.
    package var confirmations = 3
    /// Minimum interval of a confirming fix, in seconds.
    package var minimumConfirmationSeconds = 0.8
    /// Number of first fixes of a session, or after a gap, among which a jump adds only ambiguous evidence.
    package var youngFixes = 12
    /// Minimum interval, in seconds, from which a fix that requires more than
    /// ``TrackingSettings/Signals/maximumAccelerationMetersPerSecondSquared`` throughout is also a jump.
    ///
    /// None of 79,000 steps of 4 to 10 s in the recordings requires such an acceleration.
    package var accelerationSeconds = 4.0
    /// Maximum duration of an overspeed stretch, in seconds.
    package var longestFastSeconds = 600.0

    /// Straight-line speed at which a flagged driver's relocation becomes plausible, in m/s.
    package var supportingMetersPerSecond = 10.0
    /// Time after which a flagged driver's relocation is always plausible, in seconds.
    package var longestHiddenSeconds = 7200.0

    /// Speed over two or more steps from which a fix is marked, in m/s: 250 km/h.
    package var sustainedMetersPerSecond = 69.44
    /// Minimum duration of such steps, in seconds: two steps of one second, less a little jitter.
    package var sustainedSeconds = 1.9
    /// Weight of a fix at the end of such steps, in log-odds, as ambiguous evidence.
    package var sustainedWeight = 3.0

    private enum Jump {
        /// Unreachable from the last accepted fix.
        case isTooFar
        /// Reachable from the last accepted fix, but not from earlier fixes.
        case isTooFast
        /// Reachable only with an impossible acceleration.
        case exceedsAcceleration
    }

    /// Rounding error of a window's distance, in metres per fix.
    private static let roundingMeters = 0.1

    func problems() -> [String] {
        settingProblems(
            of: self, .within(1...200, \.confirmations), .within(0...1000, \.longestFastSeconds),
            .above(
                0, \.teleportationMeters, \.sustainedMetersPerSecond, \.sustainedSeconds, \.supportingMetersPerSecond),
            .atLeast(0, \.minimumConfirmationSeconds, \.longestHiddenSeconds), .atLeast(3, \.accelerationSeconds))
    }

    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.motion.isKnown else {
            context.driver.overspeed = DriverState.OverspeedStart()
            context.trackContinuity = .startsOver
            return
        }
        let accuracy = context.accuracyMeters(settings.quality)
        let motion = context.motion
        let reach = settings.jumps.reachMeters(
            in: motion.reachSeconds, accuracy, context.driver.lastAccepted.accuracy.meters)
        let isFar = motion.distanceMeters > reach
        if isFar, motion.distanceMeters > reach + coldStartMeters(context, settings.jumps) {
            handleUnreachable(&context, accuracy, .isTooFar, motion.evidence, settings)
        } else if isBeyondOverspeedReach(context, accuracy, settings.jumps) {
            handleUnreachable(&context, accuracy, .isTooFast, context.evidenceOfSpeed(), settings)
        } else if !isFar, !motion.isExempt, isOutOfWindow(context, accuracy, settings) {
            handleUnreachable(&context, accuracy, .isTooFast, motion.evidence, settings)
        } else if !isFar, isBeyondAcceleration(context, accuracy, settings) {
            handleUnreachable(&context, accuracy, .exceedsAcceleration, motion.evidence, settings)
        } else {
            trackOverspeed(&context, settings)
            if isFar {
                context.driver.jump = DriverState.Jump()
                context.trackContinuity = .startsOver
            } else {
                acceptReachable(&context, accuracy, settings)
            }
        }
    }

    /// Confirms a relocation, or rejects the fix as a jump.
    private func handleUnreachable(
        _ context: inout FixContext, _ accuracy: Double, _ kind: Jump, _ evidence: LocationWarning.Evidence,
        _ settings: TrackingSettings
    ) {
        if leadsBack(context, accuracy, settings) { return acceptReturn(&context, evidence) }
        let agrees = agreesWithJump(context, accuracy, settings.jumps)
        // A device that lost satellites while parked may appear nearby. A young track may begin at a wrong position.
        let motion = context.motion
        let isYoung = Int(context.driver.lastAccepted.fixesSinceGap) <= youngFixes
        let isExcusable = isYoung || (motion.wasStanding && motion.secondsAtPlace > motion.seconds)
        let isSeparate = context.driver.jump.at.seconds(until: context.at) >= minimumConfirmationSeconds
        // A receiver under interference confirms its own error, so it cannot confirm a relocation.
        if agrees, isSeparate, Int(context.driver.jump.fixes) >= confirmations, !context.isDisturbed {
            let isSupported = !context.driver.risk.holdsRelocation(at: context.streamTime, settings.risk)
            context.driver.jump =
                isSupported ? DriverState.Jump(leaving: context.driver.lastAccepted) : DriverState.Jump()
            context.driver.overspeed = DriverState.OverspeedStart()
            context.result.signals.insert(.relocation)
            context.addCandidateEvidence(
                for: .relocated, isExcusable ? .none : .flag, .relocation,
                weighing: isExcusable ? 0 : relocationWeight, settings.risk, evidence)
            context.trackContinuity = .startsOver
            return
        }
        let isAmbiguous = kind == .exceedsAcceleration || isExcusable
        reject(&context, kind, evidence, isAmbiguous: isAmbiguous, isRepetition: agrees && !isSeparate, settings.risk)
        context.trackContinuity = .isJump
        // A fix that agrees too soon may be a repetition of the jump's last fix, and does not confirm the jump.
        guard !agrees || isSeparate else { return }
        // Keeps the evidence of the previous position, because two positions that disagree are not a single outlier.
        if !agrees { (context.driver.jump.evidenceFixes, context.driver.jump.evidence) = (0, 0) }
        // Steps after a jump start a new run. A state with a jump but without a run stays within the maximum size.
        context.driver.equalRun = DriverState.EqualRun()
        context.driver.jump.fixes = agrees ? min(context.driver.jump.fixes, .max - 1) + 1 : 1
        context.driver.jump.point = GridPoint(context.fix.coordinate)
        context.driver.jump.accuracy = ShortLength(meters: accuracy)
        context.driver.jump.at = ShortTime(context.at)
    }

    private func reject(
        _ context: inout FixContext, _ kind: Jump, _ evidence: LocationWarning.Evidence, isAmbiguous: Bool,
        isRepetition: Bool, _ risk: TrackingSettings.Risk
    ) {
        let isTeleportation = kind == .isTooFar && context.motion.distanceMeters > teleportationMeters
        let reason: Reasons =
            kind == .exceedsAcceleration ? .kinematicAnomaly : isTeleportation ? .teleportation : .impossibleSpeed
        let signal: Signals = kind == .exceedsAcceleration ? .acceleration : .jump
        context.result.verdict = .rejected
        context.result.signals.insert(signal)
        let weight = isRepetition ? 0 : context.driver.jump.fixes > 0 ? repeatWeight : weight
        if isAmbiguous { context.addAmbiguousEvidence(signal, weight) }
        context.addCandidateEvidence(for: reason, .reject, signal, weighing: isAmbiguous ? 0 : weight, risk, evidence)
    }

    /// Accepts a reachable fix; a pending jump was then an outlier, or its position has become reachable.
    @inline(__always)
    private func acceptReachable(_ context: inout FixContext, _ accuracy: Double, _ settings: TrackingSettings) {
        guard context.driver.jump.fixes > 0 else {
            if context.driver.risk.isFlagged, context.driver.risk.holdsRelocation { extendHold(&context, settings) }
            return
        }
        resolveJump(&context, accuracy, settings)
    }

    private func resolveJump(_ context: inout FixContext, _ accuracy: Double, _ settings: TrackingSettings) {
        let jump = context.driver.jump
        let toJump = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        let isThere = agreesWithJump(context, accuracy, settings.jumps) && toJump < context.motion.distanceMeters
        if !isThere, jump.fixes == 1, jump.evidenceFixes == 1 {
            // A single outlier may be a reflection and is of no use to a forger, so its evidence becomes ambiguous.
            context.driver.removeJumpEvidence()
            context.driver.addStrayEvidence(strayWeight, at: context.streamTime, settings.risk)
            context.evidence.isJumpStray = true
        } else if isThere, jump.evidenceFixes > 0 {
            context.driver.removeJumpEvidence()
            context.evidence.isJumpWithinReach = true
        }
        context.driver.jump = DriverState.Jump()
        guard isThere else { return }
        // The position is reachable now, but was unreachable when the device first reported it.
        if !context.isDisturbed {
            let isFlagged = context.driver.risk.isFlagged
            context.driver.risk.hold(isRelocation: isFlagged, at: context.streamTime, settings.risk)
        }
        context.result.reasons.insert(.relocated)
        context.warn(.relocated, .none, context.motion.evidence)
        context.trackContinuity = .startsOver
    }

    /// Returns whether the fix requires an impossible acceleration; only for intervals with little timestamp jitter.
    @inline(__always) private func isBeyondAcceleration(
        _ context: FixContext, _ accuracy: Double, _ settings: TrackingSettings
    ) -> Bool {
        let motion = context.motion
        guard !motion.isExempt, motion.reachSeconds >= accelerationSeconds else { return false }
        let filtered = Motion.length(
            Double(context.driver.motion.eastMetersPerSecond), Double(context.driver.motion.northMetersPerSecond))
        let before = max(filtered, context.driver.steps.speedMetersPerSecond ?? 0)
        let fastest = max(before, context.fix.speedMetersPerSecond ?? 0)
        let seconds = motion.reachSeconds + settings.jumps.timestampJitterSeconds
        let acceleration = settings.signals.maximumAccelerationMetersPerSecondSquared
        let reachable = (fastest + acceleration / 2 * seconds) * seconds
        return motion.distanceMeters
            > reachable + settings.jumps.accuracyFactor * (accuracy + context.driver.lastAccepted.accuracy.meters)
    }

    /// Returns whether the fix is unreachable from the start of the window, where jitter matters less.
    @inline(__always)
    private func isOutOfWindow(_ context: FixContext, _ accuracy: Double, _ settings: TrackingSettings) -> Bool {
        let window = context.driver.window
        guard window.fixes > 1 else { return false }
        let seconds = window.at.seconds(until: context.at)
        let furthest = settings.jumps.reachMeters(in: seconds, accuracy, window.startAccuracy.meters)
        // The straight line is at most as long as the summed distance. If the sum is not saturated, this check, with a
        // margin for rounding, decides nearly every fix.
        let path = window.path.meters + context.motion.distanceMeters + Self.roundingMeters * Double(window.fixes)
        if path < furthest, window.path.bits < .max { return false }
        let distance = Geodesy.nearbyDistanceMeters(from: window.start.coordinate, to: context.fix.coordinate)
        return seconds > 0 && distance > furthest
    }

    @inline(__always)
    private func agreesWithJump(_ context: FixContext, _ accuracy: Double, _ limits: TrackingSettings.Jumps) -> Bool {
        let jump = context.driver.jump
        guard jump.fixes > 0 else { return false }
        let seconds = max(0, jump.at.seconds(until: context.at))
        let distance = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        return distance <= limits.reachMeters(in: seconds, accuracy, jump.accuracy.meters)
    }
}
