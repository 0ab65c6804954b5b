/// Recent ratio of actual to expected driving time of a vehicle, from decaying sums, with a prior of 1.
///
/// Decay and reach are rational functions, whose results are identical on every machine.
package struct RecentTripSpeed: Sendable, Equatable {
    package struct Settings: Sendable, Equatable {
        /// Weight of the prior ratio 1, in seconds of driving.
        package var priorSeconds: Double
        /// Maximum seconds of driving ahead that the ratio can scale; long drives approach this maximum.
        package var reachSeconds: Double
        /// Time constant of the decay, in seconds of driving.
        package var fadeSeconds: Double
        package var minimumRatio = 0.5
        package var maximumRatio = 3.0
        /// Maximum seconds of one step; longer steps are scaled down.
        package var longestStepSeconds = 300.0

        package init(priorSeconds: Double, reachSeconds: Double, fadeSeconds: Double = 300) {
            (self.priorSeconds, self.reachSeconds, self.fadeSeconds) = (priorSeconds, reachSeconds, fadeSeconds)
        }

        package func problems() -> [String] {
            settingProblems(
                of: self,
                .above(0, \.priorSeconds, \.reachSeconds, \.fadeSeconds, \.longestStepSeconds, \.minimumRatio),
                .within(0...1, \.minimumRatio), .atLeast(1, \.maximumRatio))
        }
    }

    package private(set) var actualSeconds = 0.0
    /// Seconds expected by learned road speeds, or else by the plan.
    package private(set) var expectedSeconds = 0.0
    /// Planned seconds, for the traffic level.
    package private(set) var plannedSeconds = 0.0

    mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&actualSeconds)
        coder.code(&expectedSeconds)
        coder.code(&plannedSeconds)
    }

    /// Adds a step with its actual, expected and planned seconds.
    package mutating func add(actual: Double, expected: Double, planned: Double, settings: Settings) {
        guard actual > 0, expected >= 0, planned >= 0 else { return }
        let part = min(1, settings.longestStepSeconds / actual)
        let keep = settings.fadeSeconds / (settings.fadeSeconds + actual * part)
        actualSeconds = actualSeconds * keep + actual * part
        expectedSeconds = expectedSeconds * keep + expected * part
        plannedSeconds = plannedSeconds * keep + planned * part
    }

    /// Returns the ratio of actual to expected time; 1 without data.
    package func ratio(_ settings: Settings) -> Double {
        let ratio = (actualSeconds + settings.priorSeconds) / (expectedSeconds + settings.priorSeconds)
        return max(settings.minimumRatio, min(settings.maximumRatio, ratio))
    }

    /// Returns `seconds` of expected driving ahead, scaled by the ratio within its reach.
    @inline(__always) package static func stretch(_ seconds: Double, ratio: Double, _ settings: Settings) -> Double {
        seconds + (ratio - 1) * seconds * settings.reachSeconds / (seconds + settings.reachSeconds)
    }
}
