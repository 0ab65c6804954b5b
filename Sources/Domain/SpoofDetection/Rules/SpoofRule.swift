/// One signal of forgery, with its thresholds and weights.
///
/// Rules are plain values. State across fixes is a group of ``DriverState``, accessible as ``FixContext/driver``.
/// Results are reported with the methods of `FixContext+Findings.swift`. The position of a rule in ``SpoofRules``
/// determines what is known of the fix when it runs.
protocol SpoofRule: Sendable {
    /// Log-likelihood ratios, each from 0 to ``TrackingSettings/Risk/maximumSignal``.
    var weights: [Double] { get }

    /// Examines one fix of a driver.
    ///
    /// `settings` holds values shared by rules. Runs for each fix, so it must not allocate. It must not use the
    /// current time or random numbers, so that a replay gives the same result.
    func examine(_ context: inout FixContext, _ settings: TrackingSettings)

    /// Returns one message per invalid threshold.
    func problems() -> [String]
}

extension SpoofRule {
    func problems() -> [String] { [] }
}
