/// One signal of forgery: what it looks for, its thresholds and its weight.
///
/// A rule is a value without identity. What it has to remember from fix to fix is a group of ``DriverState``, which it
/// finds in ``FixContext/driver``. It tells what it found by the methods of `FixContext+Findings.swift`.
///
/// Where a rule stands in ``SpoofRules`` decides what is known of the fix when it runs.
protocol SpoofRule: Sendable {
    /// Its log-likelihood ratios, each from 0 to ``TrackingSettings/Risk/maximumSignal``.
    var weights: [Double] { get }

    /// Looks at one fix of a driver.
    ///
    /// `settings` holds what several rules go by. Runs for each fix, so it must allocate nothing; and it may ask neither
    /// for the time nor for chance, so that a replay gives the same answer.
    func examine(_ context: inout FixContext, _ settings: TrackingSettings)

    /// What is wrong with its thresholds, one sentence each; empty when they can be used.
    func problems() -> [String]
}

extension SpoofRule {
    func problems() -> [String] { [] }
}
