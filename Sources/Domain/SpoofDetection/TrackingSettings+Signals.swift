extension TrackingSettings {
    /// Values shared by several rules; see ``SpoofRules`` for the rules' own thresholds.
    package struct Signals: Sendable, Equatable {
        /// Time for which the repeated position of a moving vehicle is extrapolated instead of used, in seconds.
        package var staleSeconds = 2.5
        /// Minimum length of a step for the vehicle to count as moving, in metres.
        package var movingStepMeters = 3.0
        /// Minimum speed of a step for learning habits, in m/s.
        package var movingMetersPerSecond = 0.5
        /// Number of fixes from which a habit is learned before it is evaluated.
        package var habitFixes = 8
        /// Gap across which habits are not evaluated, as a multiple of the device's usual interval.
        package var gapIntervals = 2.5
        /// Maximum acceleration or braking of road vehicles, in m/s².
        package var maximumAccelerationMetersPerSecondSquared = 6.0
        /// Timestamp error over a window, in seconds; times the speed, this is an allowed error of the distance.
        package var windowJitterSeconds = 1.5
        /// Allowed noise in speed comparisons, as a multiple of the noise that the filter learned.
        package var noiseFactor = 2.0
        /// Number of fixes after a gap in which positions at standstill may still improve (cold start: 20 to 40 s).
        package var settlingFixes = 30
        /// Speed of the last step, in m/s, below which a vehicle is stationary while its position repeats.
        package var stoppingMetersPerSecond = 4.0
        /// Maximum repetition of the previous position, in seconds, for the duration of a step to count as known.
        package var placeToleranceSeconds = 0.05
        /// Minimum displacement of a step in a window's motion, as a share of the expected displacement.
        package var leastStepShare = 0.5
        /// Maximum share of the window's displacement in one step; more means a single outlier.
        package var greatestStepOfWindow = 0.8
    }
}
