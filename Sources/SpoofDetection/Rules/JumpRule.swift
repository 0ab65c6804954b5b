import Model

/// A fix that no vehicle can have reached from the last one believed, and what becomes of it: it is rejected, until the
/// fixes after it confirm it, or turn out to be within reach.
///
/// That holds for gaps of any length, for the first fixes of a session and for poor accuracies as well: what the time
/// and the accuracies do not explain, and a receiver that has just begun does not, is a jump. Decides on
/// ``FixContext/passage``. Keeps ``DriverState/Jump`` and ``DriverState/Reach``, and reads ``DriverState/Window``.
package struct JumpRule: SpoofRule, Equatable {
    /// The first fix of a jump, in log-odds.
    package var weight = 3.0
    /// A further fix that agrees with a rejected jump, in log-odds.
    package var againWeight = 1.5
    /// A single fix that was off, once the next ones continue the track as before, in log-odds; in place of ``weight``.
    package var strayWeight = 1.5
    /// A relocation that no vehicle could have made, in log-odds.
    package var relocationWeight = 3.0
    /// From here on a jump is a teleportation, in metres.
    package var teleportationMeters = 1000.0
    /// Fixes after a rejected jump that must agree with it to make it a relocation.
    package var confirmations = 3
    /// A fix confirms a jump when it comes at least this long after the one before, in seconds.
    package var minimumConfirmationSeconds = 0.8
    /// Up to so many fixes of a session, or after a gap, a jump is rejected but hardly blamed: one of the first fixes may
    /// be the one that was wrong, and receivers that lost sight of the satellites are off by kilometres.
    package var youngFixes = 12
    /// From this interval on, in seconds, a fix that needs more than
    /// ``TrackingSettings/Signals/maximumAccelerationMetersPerSecondSquared`` all the way is a jump as well.
    ///
    /// None of 79,000 steps of 4 to 10 s in the recordings is (see `docs/decisions`).
    package var accelerationSeconds = 4.0
    /// For this long a speed over that of any vehicle adds up to a jump, in seconds.
    package var longestFastSeconds = 600.0

    /// A relocation under a flag is supported once a vehicle can have driven the straight line at this speed, in m/s.
    package var supportingMetersPerSecond = 10.0
    /// A relocation under a flag is supported after this time in any case, in seconds.
    package var longestHiddenSeconds = 7200.0

    /// A speed that is kept up for two steps and more is marked from here on, in m/s: 250 km/h.
    package var sustainedMetersPerSecond = 69.44
    /// Those steps take at least this long together, in seconds: two of a second, with little jitter.
    ///
    /// Stamps that are off by 0.9 s each do not make 250 km/h of 130 in that time.
    package var sustainedSeconds = 1.9
    /// A fix at the end of such steps, in log-odds, as part of what a bad sky can cause.
    package var sustainedWeight = 3.0

    /// What makes a fix a jump.
    private enum Jump {
        /// Out of reach from the last fix believed.
        case isTooFar
        /// Within reach of that one, but not of those before.
        case isTooFast
        /// Within reach, but only for a vehicle that accelerates as none does.
        case isHasty
    }

    /// What the way of a window may have lost by rounding, in metres per fix: a sixteenth, and a little.
    private static let roundingMeters = 0.1

    var weights: [Double] { [weight, againWeight, strayWeight, relocationWeight, sustainedWeight] }

    func problems() -> [String] {
        var problems: [String] = []
        if !(teleportationMeters > 0) { problems.append("A teleportation has a length.") }
        if !(1...200).contains(confirmations) { problems.append("Between 1 and 200 fixes confirm a relocation.") }
        if !(minimumConfirmationSeconds >= 0) { problems.append("Confirmations must not come sooner than a jump.") }
        if !(accelerationSeconds >= 3) {
            problems.append("The jitter of the stamps hides an acceleration for less than 3 seconds.")
        }
        if !(sustainedMetersPerSecond > 0 && sustainedSeconds > 0) {
            problems.append("A speed that is kept up has a limit, and lasts for some time.")
        }
        if !(supportingMetersPerSecond > 0 && longestHiddenSeconds >= 0) {
            problems.append("The speed that supports a relocation must be positive, and its time not negative.")
        }
        if !((0...1000).contains(longestFastSeconds)) {
            problems.append("A speed adds up to a jump for 1000 seconds at most.")
        }
        return problems
    }

    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.motion.isKnown else {
            context.driver.reach = DriverState.Reach()
            context.passage = .startsOver
            return
        }
        let accuracy = context.accuracyMeters(settings.quality)
        let motion = context.motion
        let reach = settings.jumps.reachMeters(in: motion.reachSeconds, accuracy, context.driver.live.accuracy.meters)
        let isFar = motion.distanceMeters > reach
        if isFar, motion.distanceMeters > reach + coldStartMeters(context, settings.jumps) {
            decide(&context, accuracy, .isTooFar, motion.evidence, settings)
        } else if isTooFastForLong(context, accuracy, settings.jumps) {
            decide(&context, accuracy, .isTooFast, context.evidenceOfSpeed(), settings)
        } else if !isFar, !motion.isExcused, isOutOfWindow(context, accuracy, settings) {
            decide(&context, accuracy, .isTooFast, motion.evidence, settings)
        } else if !isFar, isBeyondAcceleration(context, accuracy, settings) {
            decide(&context, accuracy, .isHasty, motion.evidence, settings)
        } else {
            noteReach(&context, settings)
            if isFar {
                context.driver.jump = DriverState.Jump()
                context.passage = .startsOver
            } else {
                settle(&context, accuracy, settings)
            }
        }
    }

    /// Decides on a fix out of reach: whether it confirms a relocation, or is a jump.
    private func decide(
        _ context: inout FixContext, _ accuracy: Double, _ kind: Jump, _ evidence: LocationWarning.Evidence,
        _ settings: TrackingSettings
    ) {
        if returns(context, accuracy, settings) { return acceptReturn(&context, evidence) }
        let agrees = agreesWithJump(context, accuracy, settings.jumps)
        // A device that lost its satellites where it stood, as in a garage, may appear anywhere near.
        // And where a track is young, its beginning may be what was wrong.
        let motion = context.motion
        let isYoung = Int(context.driver.live.fixesSinceGap) <= youngFixes
        let mayHaveLeft = isYoung || (motion.wasStanding && motion.secondsAtPlace > motion.seconds)
        let isApart = context.driver.jump.at.seconds(until: context.at) >= minimumConfirmationSeconds
        // A receiver that is led astray confirms its own error: while it is, only what a vehicle can reach is believed.
        if agrees, isApart, Int(context.driver.jump.fixes) >= confirmations, !context.isDisturbed {
            let isSupported = !context.driver.risk.holdsRelocation(at: context.streamTime, settings.risk)
            context.driver.jump = isSupported ? DriverState.Jump(leaving: context.driver.live) : DriverState.Jump()
            context.driver.reach = DriverState.Reach()
            context.judgement.signals.insert(.relocation)
            context.accuse(
                of: .relocated, mayHaveLeft ? .none : .flag, .relocation,
                weighing: mayHaveLeft ? 0 : relocationWeight, settings.risk, evidence)
            context.passage = .startsOver
            return
        }
        let isExcusable = kind == .isHasty || mayHaveLeft
        reject(&context, kind, evidence, isExcusable: isExcusable, isSameAgain: agrees && !isApart, settings.risk)
        context.passage = .isJump
        // Devices that send a position again at once do not confirm it by that.
        guard !agrees || isApart else { return }
        // What the place before was blamed for stays: two places that do not agree are no single fix gone astray.
        if !agrees { (context.driver.jump.blamedFixes, context.driver.jump.blame) = (0, 0) }
        // The step after a jump begins another run of equal ones; a state with a jump is the largest without that.
        context.driver.equalRun = DriverState.EqualRun()
        context.driver.jump.fixes = agrees ? min(context.driver.jump.fixes, .max - 1) + 1 : 1
        context.driver.jump.point = GridPoint(context.fix.coordinate)
        context.driver.jump.accuracy = ShortLength(meters: accuracy)
        context.driver.jump.at = ShortTime(context.at)
    }

    private func reject(
        _ context: inout FixContext, _ kind: Jump, _ evidence: LocationWarning.Evidence, isExcusable: Bool,
        isSameAgain: Bool, _ risk: TrackingSettings.Risk
    ) {
        let isTeleportation = kind == .isTooFar && context.motion.distanceMeters > teleportationMeters
        let reason: Reasons =
            kind == .isHasty ? .kinematicAnomaly : isTeleportation ? .teleportation : .impossibleSpeed
        let signal: Signals = kind == .isHasty ? .acceleration : .jump
        context.judgement.verdict = .rejected
        context.judgement.signals.insert(signal)
        let weight = isSameAgain ? 0 : context.driver.jump.fixes > 0 ? againWeight : weight
        if isExcusable { context.addSky(signal, weight) }
        context.accuse(of: reason, .reject, signal, weighing: isExcusable ? 0 : weight, risk, evidence)
    }

    /// Takes in a fix within reach: the jump before it was an outlier, or time has brought its place within reach.
    @inline(__always)
    private func settle(_ context: inout FixContext, _ accuracy: Double, _ settings: TrackingSettings) {
        guard context.driver.jump.fixes > 0 else {
            if context.driver.risk.isFlagged, context.driver.risk.holdsRelocation { keepHidden(&context, settings) }
            return
        }
        settleJump(&context, accuracy, settings)
    }

    private func settleJump(_ context: inout FixContext, _ accuracy: Double, _ settings: TrackingSettings) {
        let jump = context.driver.jump
        let toJump = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        let isThere = agreesWithJump(context, accuracy, settings.jumps) && toJump < context.motion.distanceMeters
        if !isThere, jump.fixes == 1, jump.blamedFixes == 1 {
            // A single fix was elsewhere, and the track continues as before it. Reflections cause that, and a forger
            // gains nothing by it. The fix stays rejected, and weighs no more than a bad sky does.
            context.driver.withdrawJump()
            context.driver.blameStray(strayWeight, at: context.streamTime, settings.risk)
            context.evidence.isStrayOver = true
        } else if isThere, jump.blamedFixes > 0 {
            context.driver.withdrawJump()
            context.evidence.isExonerated = true
        }
        context.driver.jump = DriverState.Jump()
        guard isThere else { return }
        // A vehicle can be there now, but could not when it said so first.
        if !context.isDisturbed {
            let isFlagged = context.driver.risk.isFlagged
            context.driver.risk.hold(isRelocation: isFlagged, at: context.streamTime, settings.risk)
        }
        context.judgement.reasons.insert(.relocated)
        context.warn(.relocated, .none, context.motion.evidence)
        context.passage = .startsOver
    }

    /// Whether no vehicle accelerates that much, however it drove before.
    ///
    /// Over a few seconds only: for less, the jitter of the stamps is too large a part.
    @inline(__always)
    private func isBeyondAcceleration(
        _ context: FixContext, _ accuracy: Double, _ settings: TrackingSettings
    ) -> Bool {
        let motion = context.motion
        guard !motion.isExcused, motion.reachSeconds >= accelerationSeconds else { return false }
        let filtered = Motion.length(
            Double(context.driver.motion.eastMetersPerSecond), Double(context.driver.motion.northMetersPerSecond))
        let before = max(filtered, context.driver.steps.speedMetersPerSecond ?? 0)
        let fastest = max(before, context.fix.speedMetersPerSecond ?? 0)
        let seconds = motion.reachSeconds + settings.jumps.stampJitterSeconds
        let acceleration = settings.signals.maximumAccelerationMetersPerSecondSquared
        let way = (fastest + acceleration / 2 * seconds) * seconds
        return motion.distanceMeters
            > way + settings.jumps.accuracyFactor * (accuracy + context.driver.live.accuracy.meters)
    }

    /// The same rule from the beginning of the window, where the jitter of the stamps hides less.
    @inline(__always)
    private func isOutOfWindow(_ context: FixContext, _ accuracy: Double, _ settings: TrackingSettings) -> Bool {
        let window = context.driver.window
        guard window.fixes > 1 else { return false }
        let seconds = window.at.seconds(until: context.at)
        let furthest = settings.jumps.reachMeters(in: seconds, accuracy, window.startAccuracy.meters)
        // The straight line is no longer than the way that was added up: with a margin for its rounding, and while it
        // is not saturated, that settles nearly every fix.
        let way = window.path.meters + context.motion.distanceMeters + Self.roundingMeters * Double(window.fixes)
        if way < furthest, window.path.bits < .max { return false }
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
