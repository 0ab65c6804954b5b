import Model

/// Compares, over a window, the reported speeds with the way made.
///
/// Two fixes are too few for that: phones stamp them early or late by most of a second. The straight line is compared
/// from above, the way from fix to fix from below, so that neither bends nor noise contradict anything. Keeps
/// ``DriverState/Window``.
package struct SpeedContradictionRule: SpoofRule, Equatable {
    /// Per window in which they contradict each other, in log-odds.
    package var weight = 3.0
    /// Length of a window, in seconds.
    package var windowSeconds = 10.0
    /// Fixes that a window needs: one step of exactly its length, of a device that sends every 10 s, tells the speed at
    /// its end alone.
    package var windowFixes = 3
    /// Reported speed and displacement may differ by this over a window, in m/s.
    package var marginMetersPerSecond = 5.0
    /// Overdue changes of the reported speed from which it counts as frozen where it is wrong as well.
    package var frozenChanges = 2.0
    /// Share of the usual margin that is left to a frozen speed.
    package var frozenMargin = 0.6

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        var problems: [String] = []
        if !(windowSeconds >= 5 && (2...200).contains(windowFixes)) {
            problems.append(
                "Speeds need a window of at least 5 seconds and 2 fixes, or the jitter of the stamps is all they show.")
        }
        if !(marginMetersPerSecond > 0 && (0...1).contains(frozenMargin)) {
            problems.append("The speed comparison needs a positive margin, and for frozen speeds a share of it.")
        }
        return problems
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard !context.motion.isExcused, context.motion.seconds <= settings.jumps.graceGapSeconds else {
            context.driver.window = DriverState.Window()
            return
        }
        if context.driver.window.fixes == 0 { context.driver.window = DriverState.Window(from: context.driver.live) }
        context.driver.window.add(context.motion, speed: context.fix.speedMetersPerSecond)
        let seconds = context.driver.window.at.seconds(until: context.at)
        guard seconds >= windowSeconds else { return }
        if context.driver.window.hasSpeeds, Int(context.driver.window.fixes) >= windowFixes {
            compare(over: seconds, &context, settings)
        }
        context.driver.window = DriverState.Window()
    }

    private func compare(over seconds: Double, _ context: inout FixContext, _ settings: TrackingSettings) {
        let window = context.driver.window
        let displacement = Geodesy.nearbyDistanceMeters(from: window.start.coordinate, to: context.fix.coordinate)
        let reported = window.reported.meters
        let path = window.path.meters
        let accuracy = context.accuracyMeters(settings.quality) + window.startAccuracy.meters
        let speed = max(reported, displacement) / seconds
        let slack = marginMetersPerSecond * seconds + settings.signals.windowJitterSeconds * speed + accuracy
        let contradiction = max(displacement - reported, reported - path)
        // A speed that stopped changing, and is wrong, is no noise.
        let isFrozen =
            Double(context.driver.fields.speed.overdue) >= Habit.eighthsPerChange * frozenChanges
            && !context.isSettling(settings) && (reported > path || context.isUnderWay(settings.signals))
        let margin = isFrozen ? frozenMargin * slack : slack
        let noise = context.driver.learnedNoiseMeters(settings.smoothing)
        guard contradiction > margin + settings.signals.noiseFactor * noise else { return }
        let evidence = LocationWarning.Evidence(
            distanceMeters: displacement, seconds: seconds, speedMetersPerSecond: reported / seconds,
            fixes: Int(window.fixes))
        if isFrozen {
            context.mark(.speedContradiction, weight, .kinematicAnomaly, settings.risk, evidence)
        } else {
            context.suspect(.speedContradiction, weight, settings.risk, evidence)
        }
    }
}
