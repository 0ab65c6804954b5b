/// All spoof rules, in the order in which they run; see `docs/how-to-add-a-signal.md`.
package struct SpoofRules: Sendable, Equatable {
    package var mockLocation = MockLocationRule()
    package var deviceIntegrity = DeviceIntegrityRule()
    package var replayedTrack = ReplayedTrackRule()
    package var rhythm = RhythmRule()
    package var zeroAccuracy = ZeroAccuracyRule()
    package var overdueFields = OverdueFieldsRule()
    package var overdueSpeed = OverdueSpeedRule()
    package var overdueHeading = OverdueHeadingRule()
    package var frozenFields = FrozenFieldsRule()
    package var jump = JumpRule()
    package var speedContradiction = SpeedContradictionRule()
    package var drift = DriftRule()
    package var equalSteps = EqualStepsRule()
    package var unsteadiness = UnsteadinessRule()
    package var filterRestart = FilterRestartRule()

    package init() {}

    /// For every fix in order, with any accuracy; set are its times and its chunk of track.
    @SpoofRuleList
    @inline(__always) var forEveryFix: some SpoofRule {
        mockLocation
        deviceIntegrity
        replayedTrack
        rhythm
    }

    /// For a usable fix that was not rejected; also set are ``FixContext/motion`` and ``FixContext/fields``.
    ///
    /// The last rule sets ``FixContext/trackContinuity``.
    @SpoofRuleList
    @inline(__always) var forUsableFix: some SpoofRule {
        zeroAccuracy
        overdueFields
        overdueSpeed
        overdueHeading
        frozenFields
        jump
    }

    /// For a fix that continues the track with a new position.
    @SpoofRuleList
    @inline(__always) var forContinuedTrack: some SpoofRule {
        speedContradiction
    }

    /// For a step of at most ten seconds between two such fixes; also set is ``FixContext/step``.
    @SpoofRuleList
    @inline(__always) var forStep: some SpoofRule {
        drift
        equalSteps
        unsteadiness
    }

    /// For a fix that updated the filter; also set is ``FixContext/filterOrigin``.
    @SpoofRuleList
    @inline(__always) var forFilteredFix: some SpoofRule {
        filterRestart
    }

    /// All rules, for checks of settings.
    @SpoofRuleList
    var all: some SpoofRule {
        forEveryFix
        forUsableFix
        forContinuedTrack
        forStep
        forFilteredFix
    }
}
