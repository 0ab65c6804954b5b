extension TrackingSettings {
    /// What receivers do not do.
    package struct Signals: Sendable, Equatable {
        /// Fixes in a row with the same accuracy and altitude while moving.
        package var frozenFieldFixes = 20
        /// Fixes in a row with the same accuracy, altitude and speed while moving.
        package var frozenSpeedFixes = 10
        /// A moving vehicle's position that is sent again counts as old for this long, in seconds.
        package var staleSeconds = 2.5
        /// Steps of this length count as moving, in metres.
        package var movingStepMeters = 3.0
        /// Fixes in a row with an accuracy of exactly 0 that are worth a warning.
        package var zeroAccuracyFixes = 5
        /// Length of the windows over which speeds are compared, in seconds.
        package var windowSeconds = 10.0
        /// Fixes that a window needs.
        package var windowFixes = 3
        /// Reported speed and displacement may differ by this over a window, in m/s.
        package var speedContradictionMetersPerSecond = 5.0
        /// Share of the driver's own speed by which stamps may be off over a window, in seconds.
        package var windowJitterSeconds = 1.5

        /// Fixes from which a habit is learnt before anything is held against it.
        package var habitFixes = 20
        /// No road vehicle accelerates or brakes more than this, in m/s² (`domain.md`).
        package var maximumAccelerationMetersPerSecondSquared = 6.0
        /// Steps whose lengths differ by no more than this are equal, in metres: what two roundings to 1e-7° make.
        package var equalStepMeters = 0.04
        /// Equal steps in a row that count; half as many more count again.
        package var equalSteps = 6
        /// Steps that usually differ by less than this, in metres, are equal by habit; those of receivers, with 0.2 m
        /// added before the logarithm, differ by 0.6 (ndsbr_curitiba, barefoot_munich) and more.
        package var unequalChangeMeters = 0.35
        /// A heading contradicts a course from this angle on, in degrees, above this speed, in m/s, and over so many
        /// fixes in a row (`domain.md`).
        package var contraryHeadingDegrees = 60.0
        package var contraryHeadingMetersPerSecond = 3.0
        package var contraryHeadingFixes = 5
        /// A step may differ from the one before by this times the square of its seconds, in m/s².
        ///
        /// Half of the step before, the accuracies, and the noise come on top.
        package var stepChangePerSecondSquared = 4.0
        /// The same for long steps: this times their seconds, in m/s.
        package var stepChangePerSecond = 16.0
        /// How many times what steps usually differ by is allowed for on top.
        package var stepChangeUsualFactor = 8.0
        /// What steps are taken to differ by before that is learnt, in metres.
        package var unlearntChangeMeters = 2.0
        /// Steps have become unsteady when they differ by e to the power of this more than usual.
        package var unsteadyLogarithm = 0.6
        /// By e to the power of this more on top, and the unsteadiness is told of.
        package var unsteadyToldLogarithm = 0.5
        /// Unsteady steps swerve at this share of the steps: white noise does at 0.73, a receiver at less than 0.5.
        package var unsteadySwerves = 0.55
        /// Steps that differ by more than this, in metres, are those between high houses.
        package var unsteadyMaximumMeters = 15.0
        /// Steps that take longer than this, in seconds, are unsteady by the driving alone.
        package var unsteadySeconds = 2.5
        /// Steps from which the usual is learnt before any is called unsteady.
        package var unsteadyFixes = 40
        /// Time over which ways made and reported are compared, in seconds.
        package var driftSeconds = 60.0
        /// A difference under this is no drift, in metres.
        package var driftMeters = 12.0
        /// So many times the usual difference is allowed for on top.
        package var driftUsualFactor = 2.0
        /// By this share more, and the drift is told of.
        package var driftToldExcess = 0.5
        /// Steps from which the usual difference is learnt.
        package var driftFixes = 40
        /// The filter gives in over more than this, in metres.
        package var restartMeters = 100.0
        /// How many times the noise that the filter has learnt is allowed for where speeds are compared.
        package var noiseFactor = 2.0
        /// Overdue changes of the reported speed from which it counts as frozen where it is wrong as well.
        package var frozenSpeedChanges = 2.0
        /// Fixes after a gap in which positions may still settle while the device says that it stands, so that a speed
        /// of 0 is not held against it; a cold start takes 20 s (`domain.md`) to some 40 s.
        package var settlingFixes = 30
        /// Share of the usual margin that is left to a frozen speed.
        package var frozenSpeedMargin = 0.6
        /// A vehicle whose last step was slower than this, in m/s, stands while its position does not change; a faster
        /// one was lost sight of.
        package var stoppingMetersPerSecond = 4.0

        package init() {}
    }

    /// How evidence grows with changes that are overdue, by what the device did before; see ``Habit``.
    ///
    /// The most that were ever overdue in an honest recording, while moving: fields together 6.4, speed 7.0, altitude
    /// 6.6 (each a60_phones), intervals 11.2 (urban_canyon_hongkong) and 8.5 (a60_phones).
    package struct Overdue: Sendable, Equatable {
        package struct Rule: Sendable, Equatable {
            /// Fewer changes count nothing.
            package var fromChanges: Double
            /// From here on the fix is marked and a warning raised.
            package var toldFromChanges: Double

            package init(fromChanges: Double, toldFromChanges: Double) {
                self.fromChanges = fromChanges
                self.toldFromChanges = toldFromChanges
            }
        }

        /// Accuracy, altitude and speed, none of which changes.
        package var fields = Rule(fromChanges: 3, toldFromChanges: 8)
        package var speed = Rule(fromChanges: 3.5, toldFromChanges: 9)
        /// A speed that is not wrong, of a device at which it changed at ``changingRate`` of the fixes or more, in
        /// 255ths.
        package var speedAlone = Rule(fromChanges: 8, toldFromChanges: 12)
        package var changingRate = 217
        package var altitude = Rule(fromChanges: 4.5, toldFromChanges: 9)
        package var rhythm = Rule(fromChanges: 4, toldFromChanges: 14)

        /// A reported speed that stays the same is wrong when it differs by this, in m/s, and by this share of it, from
        /// that of the step.
        package var wrongSpeedMetersPerSecond = 1.0
        package var wrongSpeedShare = 0.1
        /// Or when the way made in the last minute is off by this, in metres, and so many times what it usually is.
        package var wrongDriftMeters = 60.0
        package var wrongDriftFactor = 4.0
        /// A device that says it stands is wrong from so many times the noise on, beyond its accuracy.
        package var standingNoiseFactor = 4.0

        package init() {}
    }

    /// Log-odds by which what is too weak to be evidence raises the risk of a driver without any: it puts those in
    /// order whom a person may want to look at, and leads to nothing else.
    ///
    /// Fitted on the fitting half and seeds 31 to 47, for the area under the curve.
    package struct Hints: Sendable, Equatable {
        /// All together, which is a risk of 0.12.
        package var maximum = 2.0
        /// An overdue change of the interval, up to six of them.
        package var overdueInterval = 0.5
        /// Way made beyond the way reported, for each time that it usually amounts to.
        package var drift = 0.2
        package var maximumDrifts = 6.0
        /// Half of a step of equal length; see ``Signals/equalSteps``.
        package var equalStep = 0.075

        package init() {}
    }
}
