import Model

/// What speaks against the driver by one fix, until that is decided on.
struct FixEvidence {
    /// What the positions accuse the driver of.
    var accusation: LocationWarning?
    /// The weight of all such accusations, in log-odds.
    var accusedWeight: Float = 0
    /// The signal of the first of them that weighs anything.
    var accusedSignal = Signals.jump
    /// The weight of what a bad sky may be the cause of as well, in log-odds.
    var skyWeight: Float = 0
    /// The signal that is most of that, and how much it is.
    var skySignal = Signals.jump
    var heaviestSkyWeight: Float = 0
    /// What is too weak to count as evidence, in log-odds; see ``TrackingSettings/Risk/maximumHint``.
    var hint: Float = 0
    /// Whether a jump the driver was blamed for turned out to be within reach.
    var isExonerated = false
    /// Whether a jump the driver was blamed for turned out to be a single fix gone astray.
    var isStrayOver = false
}
