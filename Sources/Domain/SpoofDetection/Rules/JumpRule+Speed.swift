/// Detects sustained speed over the maximum, where each step alone is reachable.
///
/// The start of a stretch is kept while the straight line from the start is longer than the maximum speed allows.
/// Timestamp jitter, accuracies and a cold start are then allowed for once, not for every fix.
extension JumpRule {
    /// Returns the additional reach after a cold start, in metres.
    @inline(__always) func coldStartMeters(_ context: FixContext, _ limits: TrackingSettings.Jumps) -> Double {
        context.motion.isInGrace ? limits.coldStartMeters : 0
    }

    /// Returns whether the fix is unreachable from the start of the overspeed stretch.
    @inline(__always)
    func isBeyondOverspeedReach(_ context: FixContext, _ accuracy: Double, _ limits: TrackingSettings.Jumps) -> Bool {
        context.driver.overspeed.isFast && isOutOfReach(context, accuracy, limits)
    }

    private func isOutOfReach(_ context: FixContext, _ accuracy: Double, _ limits: TrackingSettings.Jumps) -> Bool {
        let start = context.driver.overspeed
        let furthest = limits.reachMeters(in: context.overspeedSeconds, accuracy, start.startAccuracy.meters)
        let slack = start.isLenient ? limits.coldStartMeters : coldStartMeters(context, limits)
        return context.overspeedMeters > furthest + slack
    }

    /// Updates the overspeed stretch with an accepted fix.
    @inline(__always) func trackOverspeed(_ context: inout FixContext, _ settings: TrackingSettings) {
        let motion = context.motion
        let limits = settings.jumps
        // A repeated position adds information only if the vehicle is stationary.
        guard !motion.isRepeat || motion.wasStanding else { return }
        let isFastStep = motion.distanceMeters > limits.maximumSpeedMetersPerSecond * motion.reachSeconds
        guard isFastStep || context.driver.overspeed.isFast else { return }
        updateOverspeed(&context, isFastStep: isFastStep && motion.reachSeconds > 0, settings)
    }

    private func updateOverspeed(_ context: inout FixContext, isFastStep: Bool, _ settings: TrackingSettings) {
        let limits = settings.jumps
        var start = context.driver.overspeed
        let seconds = context.overspeedSeconds
        if start.isFast, seconds <= longestFastSeconds,
            context.overspeedMeters > limits.maximumSpeedMetersPerSecond * seconds
        {
            markSustainedSpeed(&context, settings)
            start.seconds = seconds
            start.isLenient = start.isLenient || context.motion.isInGrace
        } else if isFastStep, context.motion.reachSeconds <= longestFastSeconds {
            start.start = context.driver.lastAccepted.point
            start.startAccuracy = context.driver.lastAccepted.accuracy
            start.seconds = context.motion.reachSeconds
            start.isLenient = context.motion.isInGrace
        } else {
            start = DriverState.OverspeedStart()
        }
        context.driver.overspeed = start
    }

    /// Marks a fix if no vehicle reaches its speed over two steps or more, before the steps add up to a jump.
    ///
    /// The evidence is ambiguous, because some receivers are wrong twice in a row.
    private func markSustainedSpeed(_ context: inout FixContext, _ settings: TrackingSettings) {
        let (meters, seconds) = (context.overspeedMeters, context.overspeedSeconds)
        let accuracies = context.accuracyMeters(settings.quality) + context.driver.overspeed.startAccuracy.meters
        guard seconds >= sustainedSeconds, meters > sustainedMetersPerSecond * seconds,
            meters > settings.jumps.maximumSpeedMetersPerSecond * seconds + accuracies
        else { return }
        context.markAmbiguous(.jump, sustainedWeight, settings.risk, context.evidenceOfSpeed())
    }
}

extension DriverState.OverspeedStart {
    private static let unitsPerSecond = 32.0

    /// Duration of the stretch, rounded to 1/32 s; the rounding is about a metre.
    @inline(__always) var seconds: Double {
        get { Double(timeAndLeniency >> 1) / Self.unitsPerSecond }
        set {
            let units = UInt16(max(1, min(32_767, (newValue * Self.unitsPerSecond).halfAwayFromZero)))
            timeAndLeniency = units << 1 | timeAndLeniency & 1
        }
    }
}

extension FixContext {
    /// Time since the start of the overspeed stretch, valid while ``DriverState/OverspeedStart/isFast``.
    fileprivate var overspeedSeconds: Double { driver.overspeed.seconds + motion.reachSeconds }

    /// Straight-line distance from the start of the overspeed stretch, in metres.
    fileprivate var overspeedMeters: Double {
        Geodesy.nearbyDistanceMeters(from: driver.overspeed.start.coordinate, to: fix.coordinate)
    }

    /// Returns ``overspeedMeters`` and ``overspeedSeconds`` as evidence of a warning.
    func evidenceOfSpeed() -> LocationWarning.Evidence {
        let (meters, seconds) = (overspeedMeters, overspeedSeconds)
        return LocationWarning.Evidence(
            distanceMeters: meters, seconds: seconds, speedMetersPerSecond: seconds > 0 ? meters / seconds : nil)
    }
}
