import Model

/// How much longer than expected the vehicle has been taking lately.
///
/// Sums of actual against expected driving seconds that fade with time, shrunk towards "as expected" by a prior. Fading
/// and reach are rational functions instead of exponentials: as good here, and the same bits on every machine.
package struct RecentTripSpeed: Sendable, Equatable {
    /// How much the recent pace counts.
    package struct Settings: Sendable, Equatable {
        /// Seconds of driving as expected that are mixed in.
        package var priorSeconds: Double
        /// How far ahead the recent pace reaches: the farther a stretch, the less today's jam says about it, and all in
        /// all it counts for this many seconds of driving.
        package var reachSeconds: Double
        /// Seconds after which old driving counts half.
        package var fadeSeconds: Double
        /// Bounds of the ratio: a parked vehicle is not a jam without end.
        package var minimumRatio = 0.5
        package var maximumRatio = 3.0
        /// One step counts as at most this many seconds.
        package var longestStepSeconds = 300.0

        package init(priorSeconds: Double, reachSeconds: Double, fadeSeconds: Double = 300) {
            self.priorSeconds = priorSeconds
            self.reachSeconds = reachSeconds
            self.fadeSeconds = fadeSeconds
        }

        /// What is wrong with the settings, one sentence each; empty when they can be used.
        package func problems() -> [String] {
            priorSeconds > 0 && reachSeconds > 0 && fadeSeconds > 0 && longestStepSeconds > 0
                && minimumRatio > 0 && minimumRatio <= 1 && maximumRatio >= 1
                ? []
                : ["The recent pace needs a prior, reach, fading and step above 0 s and bounds around a ratio of 1."]
        }
    }

    package private(set) var actualSeconds = 0.0
    /// What was expected, by the plan blended with what had been learned.
    package private(set) var expectedSeconds = 0.0
    /// What the plan alone said; for the traffic.
    package private(set) var plannedSeconds = 0.0

    mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&actualSeconds)
        coder.code(&expectedSeconds)
        coder.code(&plannedSeconds)
    }

    /// Takes in a step that took `actual` seconds.
    package mutating func add(actual: Double, expected: Double, planned: Double, settings: Settings) {
        guard actual > 0, expected >= 0, planned >= 0 else { return }
        let part = min(1, settings.longestStepSeconds / actual)
        let keep = settings.fadeSeconds / (settings.fadeSeconds + actual * part)
        actualSeconds = actualSeconds * keep + actual * part
        expectedSeconds = expectedSeconds * keep + expected * part
        plannedSeconds = plannedSeconds * keep + planned * part
    }

    /// Actual over expected, shrunk by the prior; 1 without evidence.
    package func ratio(_ settings: Settings) -> Double {
        let ratio = (actualSeconds + settings.priorSeconds) / (expectedSeconds + settings.priorSeconds)
        return max(settings.minimumRatio, min(settings.maximumRatio, ratio))
    }

    /// `seconds` of expected driving ahead, made longer or shorter by the recent pace.
    @inline(__always)
    package static func stretch(_ seconds: Double, ratio: Double, _ settings: Settings) -> Double {
        seconds + (ratio - 1) * seconds * settings.reachSeconds / (seconds + settings.reachSeconds)
    }
}
