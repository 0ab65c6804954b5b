import Glibc

/// How each step follows from the one before. What a bad sky can be the cause of as well is no proof, however much
/// of it there is; see ``TrackingSettings/Risk/maximumSkyEvidence``.
extension FixJudge {
    /// A step between two fixes that continue the track, with what the device says of it.
    struct Step {
        /// Metres per unit of what the state keeps of a step, so that ten seconds at 200 km/h fit into 16 bits.
        static let unitMeters = 0.02

        let east: Double
        let north: Double
        let meters: Double
        let seconds: Double
        /// Radius in which both ends lie, in metres.
        let accuracyMeters: Double
        let speed: Double?
        /// Where the device gave one with a speed that makes it count.
        let heading: Direction?
    }

    /// Examines the step to a fix that continues the track, over at most ten seconds.
    @inline(__always)
    func examineStep(_ context: FixContext, _ motion: Motion, _ state: inout DriverState, _ judgement: inout Judgement)
    {
        // After an old position that was sent again, nobody knows what a step took.
        guard !motion.isExcused, motion.seconds <= settings.jumps.graceGapSeconds, motion.seconds > 0,
            motion.reachSeconds <= motion.seconds + 0.05
        else {
            state.steps.breakOff()
            state.drift.east = 0
            state.drift.north = 0
            return
        }
        let step = step(context, motion, state)
        examineDrift(step, &state, &judgement)
        if state.steps.milliseconds > 0 {
            examineSpeedChange(step, state, &judgement)
            examineEqualSteps(context, step, &state, &judgement)
            examineChange(step, &state, &judgement)
        }
        examineHeading(step, &state, &judgement)
        state.steps.take(step)
    }

    @inline(__always)
    private func step(_ context: FixContext, _ motion: Motion, _ state: DriverState) -> Step {
        let speed = context.fix.speedMetersPerSecond
        var direction: Direction?
        if let heading = context.fix.headingDegrees, let speed,
            speed >= settings.smoothing.minimumSpeedForHeadingMetersPerSecond
        {
            direction = Direction(headingDegrees: heading)
        }
        return Step(
            east: motion.east, north: motion.north, meters: motion.distanceMeters, seconds: motion.seconds,
            accuracyMeters: context.accuracyMeters(settings.quality) + state.live.accuracy.meters, speed: speed,
            heading: direction)
    }

    /// Noise per axis that the filter has learnt of the last positions, in metres.
    func learnedNoiseMeters(_ state: DriverState) -> Double {
        let stated = max(
            settings.smoothing.minimumNoiseMeters,
            state.live.accuracy.meters / settings.smoothing.accuracyRadiusPerSigma)
        return stated * exp(Double(state.motion.logNoiseScale) / 2)
    }

    /// A reported speed that no vehicle reaches from the one before.
    @inline(__always)
    private func examineSpeedChange(_ step: Step, _ state: DriverState, _ judgement: inout Judgement) {
        guard let speed = step.speed, let last = state.steps.speedMetersPerSecond else { return }
        let seconds = step.seconds + settings.jumps.stampJitterSeconds
        guard abs(speed - last) > settings.signals.maximumAccelerationMetersPerSecondSquared * seconds else { return }
        suspect(
            .acceleration, settings.risk.weights.acceleration, &judgement,
            LocationWarning.Evidence(seconds: step.seconds, speedMetersPerSecond: speed))
    }

    /// Steps of exactly the same length or speed, after others that were not: a simulated drive at a constant one.
    ///
    /// No device in the recordings makes more than three in a row. Each one scores 2, any other takes off 1.
    @inline(__always)
    private func examineEqualSteps(
        _ context: FixContext, _ step: Step, _ state: inout DriverState, _ judgement: inout Judgement
    ) {
        let signals = settings.signals
        judgement.hint += Float(min(state.steps.equalScore, 8)) * Float(settings.risk.hints.equalStep)
        let last = state.steps.meters
        guard step.meters >= signals.movingStepMeters, last >= signals.movingStepMeters else { return }
        let scaled = last * (step.seconds / state.steps.seconds)
        let difference = min(abs(step.meters - last), abs(step.meters - scaled))
        guard difference <= signals.equalStepMeters else {
            // A bend of the road shortens a step now and then.
            state.steps.equalScore = max(1, state.steps.equalScore) - 1
            return
        }
        state.steps.equalScore = min(state.steps.equalScore, 250) + 2
        guard Int(state.steps.equalScore) >= 2 * signals.equalSteps else { return }
        state.steps.equalScore /= 2
        // One that never did otherwise is a model of a vehicle, as in tests and demonstrations.
        guard Int(state.steps.learnt) >= signals.unsteadyFixes,
            state.steps.usualChangeMeters(signals) > signals.unequalChangeMeters
        else { return }
        accuse(
            .equalSteps, settings.risk.weights.equalSteps, .kinematicAnomaly, context, &state, &judgement,
            LocationWarning.Evidence(distanceMeters: step.meters, seconds: step.seconds, fixes: signals.equalSteps))
    }

    /// A heading that contradicts the course.
    @inline(__always)
    private func examineHeading(_ step: Step, _ state: inout DriverState, _ judgement: inout Judgement) {
        guard let heading = step.heading, let speed = step.speed,
            speed > settings.signals.contraryHeadingMetersPerSecond,
            step.meters > settings.signals.movingStepMeters
        else { return }
        let along = step.east * heading.east + step.north * heading.north
        guard along < contraryHeadingCosine * step.meters else {
            state.steps.contraryRun = 0
            return
        }
        state.steps.contraryRun = min(state.steps.contraryRun, 254) + 1
        guard Int(state.steps.contraryRun) >= settings.signals.contraryHeadingFixes else { return }
        let evidence = LocationWarning.Evidence(speedMetersPerSecond: speed, fixes: Int(state.steps.contraryRun))
        state.steps.contraryRun = 0
        suspect(.contraryHeading, settings.risk.weights.contraryHeading, &judgement, evidence)
    }

    /// What the step differs by from the one before, going on at the same velocity.
    @inline(__always)
    private func examineChange(_ step: Step, _ state: inout DriverState, _ judgement: inout Judgement) {
        let ratio = step.seconds / state.steps.seconds
        guard ratio <= 3, ratio * 3 >= 1 else {
            state.steps.side = 0
            return
        }
        let lastEast = Double(state.steps.east) * Step.unitMeters
        let lastNorth = Double(state.steps.north) * Step.unitMeters
        // Stamps that are early or late make intervals uneven that are not: the smaller change counts.
        let scaled = Self.length(step.east - lastEast * ratio, step.north - lastNorth * ratio)
        let plain = Self.length(step.east - lastEast, step.north - lastNorth)
        let change = min(scaled, plain)
        let seconds = step.seconds + settings.jumps.stampJitterSeconds
        let signals = settings.signals
        let least =
            seconds * min(seconds * signals.stepChangePerSecondSquared, signals.stepChangePerSecond)
            + state.steps.meters / 2 + step.accuracyMeters
        if change > least { examineStepChange(change, over: least, step, state, &judgement) }
        guard step.meters > signals.movingStepMeters, state.steps.meters > 1 else {
            state.steps.side = 0
            return
        }
        let isLeft = step.east * lastNorth < step.north * lastEast
        let excess = state.steps.learn(change: change, isLeft: isLeft, signals)
        guard excess > 0, step.seconds <= signals.unsteadySeconds else { return }
        let weight = settings.risk.weights.unsteadiness * excess
        guard excess > signals.unsteadyToldLogarithm else {
            judgement.skyWeight += Float(weight)
            return
        }
        suspect(
            .unsteadiness, weight, &judgement,
            LocationWarning.Evidence(distanceMeters: change, seconds: step.seconds))
    }

    private func examineStepChange(
        _ change: Double, over least: Double, _ step: Step, _ state: DriverState, _ judgement: inout Judgement
    ) {
        let usual = state.steps.usualChangeMeters(settings.signals)
        let allowance = settings.signals.stepChangeUsualFactor * usual + 2 * learnedNoiseMeters(state)
        guard change > least + allowance else { return }
        suspect(
            .stepChange, settings.risk.weights.stepChange, &judgement,
            LocationWarning.Evidence(distanceMeters: change, seconds: step.seconds))
    }

    /// A way that goes on and on beyond the way reported.
    @inline(__always)
    private func examineDrift(_ step: Step, _ state: inout DriverState, _ judgement: inout Judgement) {
        guard let speed = step.speed else { return }
        let share = step.seconds / settings.signals.driftSeconds
        // exp(-share) to the third order.
        let rest = 1 / (1 + share + share * share / 2)
        var east = Double(state.drift.east) / 10 * rest
        var north = Double(state.drift.north) / 10 * rest
        let reported = (speed + (state.steps.speedMetersPerSecond ?? speed)) / 2 * step.seconds
        if let heading = step.heading {
            east += step.east - reported * heading.east
            north += step.north - reported * heading.north
        } else if speed >= settings.smoothing.minimumSpeedForHeadingMetersPerSecond {
            // Without a heading only the lengths can be compared.
            east += step.meters - reported
        } else {
            east += step.east
            north += step.north
        }
        let size = Self.length(east, north)
        let limit = settings.signals.driftMeters + settings.signals.driftUsualFactor * state.drift.usualMeters
        let isLearnt = Int(state.drift.learnt) > settings.signals.driftFixes
        if isLearnt {
            let hints = settings.risk.hints
            judgement.hint += Float(hints.drift * min(hints.maximumDrifts, size / (2 + state.drift.usualMeters)))
        }
        if size > limit, isLearnt {
            let excess = size / (limit + 2 * learnedNoiseMeters(state)) - 1
            let weight = settings.risk.weights.drift * min(1, excess) * min(1, step.seconds)
            if excess > settings.signals.driftToldExcess {
                suspect(
                    .drift, weight, &judgement,
                    LocationWarning.Evidence(distanceMeters: size, seconds: settings.signals.driftSeconds))
            } else if excess > 0 {
                judgement.skyWeight += Float(weight)
            }
        }
        state.drift.learn(east: east, north: north, size: size)
    }

    @inline(__always)
    static func length(_ east: Double, _ north: Double) -> Double { (east * east + north * north).squareRoot() }
}
