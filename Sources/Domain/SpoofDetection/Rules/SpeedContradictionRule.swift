/// Rule that compares reported speeds with the driven distance over a window; keeps ``DriverState/Window``.
///
/// The straight line is the lower bound of the distance and the path from fix to fix the upper bound, so neither bends
/// nor noise cause a contradiction.
package struct SpeedContradictionRule: SpoofRule, Equatable {
    /// Weight per window with a contradiction, in log-odds.
    package var weight = 3.0
    package var windowSeconds = 10.0
    /// Minimum fixes of a window, because a single step of 10 s has a reported speed only at its end.
    package var windowFixes = 3
    /// Allowed difference between reported speed and displacement over a window, in m/s.
    package var marginMetersPerSecond = 5.0
    /// Overdue changes of the reported speed from which a wrong speed counts as frozen.
    package var frozenChanges = 2.0
    /// Share of the margin that applies to a frozen speed.
    package var frozenMargin = 0.6

    func problems() -> [String] {
        settingProblems(
            of: self, .atLeast(5, \.windowSeconds), .within(2...200, \.windowFixes),
            .above(0, \.marginMetersPerSecond), .within(0...1, \.frozenMargin))
    }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard !context.motion.isExempt, context.motion.seconds <= settings.jumps.graceGapSeconds else {
            context.driver.window = DriverState.Window()
            return
        }
        if context.driver.window.fixes == 0 {
            context.driver.window = DriverState.Window(from: context.driver.lastAccepted)
        }
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
        // Noise cannot explain a speed that is both frozen and wrong.
        let isFrozen =
            Double(context.driver.fields.speed.expectedChanges) >= Habit.eighthsPerChange * frozenChanges
            && !context.isSettling(settings) && (reported > path || context.isSteadyStep(settings.signals))
        let margin = isFrozen ? frozenMargin * slack : slack
        let noise = context.driver.learnedNoiseMeters(settings.smoothing)
        guard contradiction > margin + settings.signals.noiseFactor * noise else { return }
        let evidence = LocationWarning.Evidence(
            distanceMeters: displacement, seconds: seconds, speedMetersPerSecond: reported / seconds,
            fixes: Int(window.fixes))
        if isFrozen {
            context.mark(.speedContradiction, weight, .kinematicAnomaly, settings.risk, evidence)
        } else {
            context.markAmbiguous(.speedContradiction, weight, settings.risk, evidence)
        }
    }
}

extension DriverState.Window {
    @inline(__always) init(from fix: DriverState.LastAcceptedFix) {
        fixes = 1
        hasSpeeds = true
        start = fix.point
        startAccuracy = fix.accuracy
        at = fix.at
    }

    /// Adds a step, with the reported speed at its end in m/s.
    @inline(__always) mutating func add(_ motion: Motion, speed: Double?) {
        if fixes < .max { fixes += 1 }
        path += motion.distanceMeters
        if let speed {
            reported += speed * motion.seconds
        } else {
            hasSpeeds = false
        }
    }
}
