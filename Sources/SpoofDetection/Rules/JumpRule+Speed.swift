import Model

/// A speed over that of any vehicle that goes on: each step may be within reach, but not all of them together.
///
/// The place where it began is kept while the straight line from there is longer than any vehicle gets in that time. The
/// jitter of the stamps, the accuracies and a cold start are then allowed for once, not for every fix.
extension JumpRule {
    /// How much further than the reach a receiver that has just begun may be off, in metres.
    @inline(__always)
    func coldStartMeters(_ context: FixContext, _ limits: TrackingSettings.Jumps) -> Double {
        context.motion.isInGrace ? limits.coldStartMeters : 0
    }

    /// Whether the fix is out of reach of where the vehicle began to be faster than any.
    @inline(__always)
    func isTooFastForLong(_ context: FixContext, _ accuracy: Double, _ limits: TrackingSettings.Jumps) -> Bool {
        context.driver.reach.isFast && isOutOfReach(context, accuracy, limits)
    }

    private func isOutOfReach(_ context: FixContext, _ accuracy: Double, _ limits: TrackingSettings.Jumps) -> Bool {
        let reach = context.driver.reach
        let furthest = limits.reachMeters(in: context.fastSeconds, accuracy, reach.startAccuracy.meters)
        let slack = reach.isLenient ? limits.coldStartMeters : coldStartMeters(context, limits)
        return context.fastMeters > furthest + slack
    }

    /// Notes a fix that is believed, and whether the vehicle is faster than any can be.
    @inline(__always)
    func noteReach(_ context: inout FixContext, _ settings: TrackingSettings) {
        let motion = context.motion
        let limits = settings.jumps
        // A position that is sent again is no news, unless the vehicle stands there.
        guard !motion.isRepeat || motion.wasStanding else { return }
        let isFastStep = motion.distanceMeters > limits.maximumSpeedMetersPerSecond * motion.reachSeconds
        guard isFastStep || context.driver.reach.isFast else { return }
        noteSpeed(&context, isFastStep: isFastStep && motion.reachSeconds > 0, settings)
    }

    private func noteSpeed(_ context: inout FixContext, isFastStep: Bool, _ settings: TrackingSettings) {
        let limits = settings.jumps
        var reach = context.driver.reach
        let seconds = context.fastSeconds
        if reach.isFast, seconds <= longestFastSeconds,
            context.fastMeters > limits.maximumSpeedMetersPerSecond * seconds
        {
            markSustainedSpeed(&context, settings)
            reach.seconds = seconds
            reach.isLenient = reach.isLenient || context.motion.isInGrace
        } else if isFastStep, context.motion.reachSeconds <= longestFastSeconds {
            reach.start = context.driver.live.point
            reach.startAccuracy = context.driver.live.accuracy
            reach.seconds = context.motion.reachSeconds
            reach.isLenient = context.motion.isInGrace
        } else {
            reach = DriverState.Reach()
        }
        context.driver.reach = reach
    }

    /// Marks a speed that no vehicle keeps up for two steps, long before it adds up to a jump.
    ///
    /// The least time of those steps leaves so little to the jitter of stamps that none is allowed for.
    ///
    /// The fix is believed, and the evidence is that of a poor reception: some receivers are wrong twice in a row.
    private func markSustainedSpeed(_ context: inout FixContext, _ settings: TrackingSettings) {
        let (meters, seconds) = (context.fastMeters, context.fastSeconds)
        let accuracies = context.accuracyMeters(settings.quality) + context.driver.reach.startAccuracy.meters
        guard seconds >= sustainedSeconds, meters > sustainedMetersPerSecond * seconds,
            meters > settings.jumps.maximumSpeedMetersPerSecond * seconds + accuracies
        else { return }
        context.suspect(.jump, sustainedWeight, settings.risk, context.evidenceOfSpeed())
    }
}

extension DriverState.Reach {
    private static let unitsPerSecond = 32.0

    /// Since the vehicle began to be faster than any, rounded to a 32nd; the rounding is a metre or so.
    @inline(__always)
    var seconds: Double {
        get { Double(timeAndLeniency >> 1) / Self.unitsPerSecond }
        set {
            let units = UInt16(max(1, min(32_767, (newValue * Self.unitsPerSecond).halfAwayFromZero)))
            timeAndLeniency = units << 1 | timeAndLeniency & 1
        }
    }
}

extension FixContext {
    /// The time since the vehicle began to be faster than any, while ``DriverState/Reach/isFast``.
    fileprivate var fastSeconds: Double { driver.reach.seconds + motion.reachSeconds }

    /// The straight line from there, in metres.
    fileprivate var fastMeters: Double {
        Geodesy.nearbyDistanceMeters(from: driver.reach.start.coordinate, to: fix.coordinate)
    }

    /// That way and that time, as a warning tells them.
    func evidenceOfSpeed() -> LocationWarning.Evidence {
        let (meters, seconds) = (fastMeters, fastSeconds)
        return LocationWarning.Evidence(
            distanceMeters: meters, seconds: seconds, speedMetersPerSecond: seconds > 0 ? meters / seconds : nil)
    }
}
