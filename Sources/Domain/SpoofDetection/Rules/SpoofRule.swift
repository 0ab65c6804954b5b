/// One signal of forgery, with its thresholds and weights.
///
/// State across fixes is a group of ``DriverState``, accessible as ``FixContext/driver``. The position of a rule in
/// ``SpoofRules`` determines what is known of the fix when it runs.
protocol SpoofRule: Sendable {
    /// Log-likelihood ratios, each from 0 to ``TrackingSettings/Risk/maximumSignal``.
    var weights: [Double] { get }

    /// Examines one fix of a driver.
    ///
    /// Runs for each fix, so it must not allocate, nor use the current time or random numbers.
    func examine(_ context: inout FixContext, _ settings: TrackingSettings)

    func problems() -> [String]
}

extension SpoofRule {
    func problems() -> [String] { [] }
}
