import Model

extension TrackingSettings {
    /// What several rules go by; see ``SpoofRules`` for their own thresholds.
    package struct Signals: Sendable, Equatable {
        /// A moving vehicle's position that is sent again counts as old for this long, in seconds.
        package var staleSeconds = 2.5
        /// Steps of this length count as moving, in metres.
        package var movingStepMeters = 3.0
        /// Steps on which the vehicle was slower than this count as standing where habits are learnt, in m/s.
        package var movingMetersPerSecond = 0.5
        /// Fixes from which a habit is learnt before anything is held against it.
        package var habitFixes = 8
        /// A silence of more than so many usual intervals, and of more than ``TrackingSettings/Jumps/graceGapSeconds``, is
        /// a gap, over which habits say nothing.
        package var gapIntervals = 2.5
        /// No road vehicle accelerates or brakes more than this, in m/s² (`domain.md`).
        package var maximumAccelerationMetersPerSecondSquared = 6.0
        /// Share of the driver's own speed by which stamps may be off over a window, in seconds.
        package var windowJitterSeconds = 1.5
        /// How many times the noise that the filter has learnt is allowed for where speeds are compared.
        package var noiseFactor = 2.0
        /// Fixes after a gap in which positions may still settle while the device says that it stands, so that a speed
        /// of 0 is not held against it, unless the device takes its fixes rarely; a cold start takes 20 s (`domain.md`)
        /// to some 40 s.
        package var settlingFixes = 30
        /// A vehicle whose last step was slower than this, in m/s, stands while its position does not change; a faster
        /// one was lost sight of.
        package var stoppingMetersPerSecond = 4.0
        /// A position that was not sent before by more than this, in seconds, was not sent again: the rounding of
        /// stamps.
        package var placeToleranceSeconds = 0.05
        /// A step is part of the way of a window when it has this share of what it would have at an even speed.
        package var leastStepShare = 0.5
        /// And when it is not over this share of all of the way: one fix that was off.
        package var greatestStepOfWindow = 0.8

        package init() {}
    }
}
