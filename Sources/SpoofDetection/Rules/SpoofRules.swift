/// Every signal of forgery, in the order in which a fix is examined for them.
///
/// A new rule is a line in one of the lists below; see `docs/how-to-add-a-signal.md`. Rules whose thresholds can be set
/// from outside have a property as well.
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

    /// For every fix in order, even where its accuracy is too bad to use it.
    ///
    /// Known: its times and its chunk of track.
    @SpoofRuleList
    @inline(__always)
    var forEveryFix: some SpoofRule {
        mockLocation
        deviceIntegrity
        replayedTrack
        rhythm
    }

    /// For a fix that can be used and was not rejected.
    ///
    /// Known as well: ``FixContext/motion`` and ``FixContext/fields``.
    ///
    /// The last one decides whether the fix continues the track, and sets ``FixContext/passage``.
    @SpoofRuleList
    @inline(__always)
    var forUsableFix: some SpoofRule {
        zeroAccuracy
        overdueFields
        overdueSpeed
        overdueHeading
        frozenFields
        jump
    }

    /// For a fix that continues the track with a new position.
    @SpoofRuleList
    @inline(__always)
    var forContinuedTrack: some SpoofRule {
        speedContradiction
    }

    /// For a step of at most ten seconds between two such fixes.
    ///
    /// Known as well: ``FixContext/step``.
    @SpoofRuleList
    @inline(__always)
    var forStep: some SpoofRule {
        drift
        equalSteps
        unsteadiness
    }

    /// For a fix that the filter has taken in.
    ///
    /// Known as well: ``FixContext/filterMove``.
    @SpoofRuleList
    @inline(__always)
    var forFilteredFix: some SpoofRule {
        filterRestart
    }

    /// All of them, for what is asked of settings rather than of fixes.
    @SpoofRuleList
    var all: some SpoofRule {
        forEveryFix
        forUsableFix
        forContinuedTrack
        forStep
        forFilteredFix
    }
}
