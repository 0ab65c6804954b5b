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

    /// Rules for every fix in order, with any accuracy; its times and ``FixContext/chunk`` are set.
    @SpoofRuleList
    @inline(__always) var forEveryFix: some SpoofRule {
        mockLocation
        deviceIntegrity
        replayedTrack
        rhythm
    }

    /// Rules for a usable fix that was not rejected; ``FixContext/motion`` and ``FixContext/fields`` are also set.
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

    /// Rules for a fix that continues the track with a new position.
    @SpoofRuleList
    @inline(__always) var forContinuedTrack: some SpoofRule {
        speedContradiction
    }

    /// Rules for a step of up to ten seconds that continues the track; ``FixContext/step`` is also set.
    @SpoofRuleList
    @inline(__always) var forStep: some SpoofRule {
        drift
        equalSteps
        unsteadiness
    }

    /// Rules for an accepted fix; ``FixContext/filterOrigin`` is also set if the fix updated the filter.
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
