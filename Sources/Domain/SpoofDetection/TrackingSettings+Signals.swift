extension TrackingSettings {
    /// Values shared by several rules; see ``SpoofRules`` for their own thresholds.
    package struct Signals: Sendable, Equatable {
        /// Seconds for which a repeated position of a moving vehicle is treated as old.
        package var staleSeconds = 2.5
        /// Minimum length of a moving step, in metres.
        package var movingStepMeters = 3.0
        /// Minimum speed of a moving step for learning habits, in m/s.
        package var movingMetersPerSecond = 0.5
        /// Fixes needed to learn a habit before it is evaluated.
        package var habitFixes = 8
        /// Gap across which habits are not evaluated, as a multiple of the device's usual interval.
        package var gapIntervals = 2.5
        /// Maximum acceleration or braking of road vehicles, in m/s².
        package var maximumAccelerationMetersPerSecondSquared = 6.0
        /// Timestamp error over a window, in seconds at the driver's own speed.
        package var windowJitterSeconds = 1.5
        /// Allowed noise in speed comparisons, as a multiple of the noise that the filter learned.
        package var noiseFactor = 2.0
        /// Fixes after a gap during which positions may settle at standstill; a cold start takes 20 to 40 s.
        package var settlingFixes = 30
        /// A vehicle whose last step was slower than this, in m/s, is stationary while its position repeats.
        package var stoppingMetersPerSecond = 4.0
        /// Timestamp tolerance (s): below this, an equal position counts as new, not as a repeat.
        package var placeToleranceSeconds = 0.05
        /// Minimum share of the expected displacement for a step to be part of a window's motion.
        package var leastStepShare = 0.5
        /// Maximum share of the window's displacement in one step; more means a single outlier.
        package var greatestStepOfWindow = 0.8

        package init() {}
    }
}
