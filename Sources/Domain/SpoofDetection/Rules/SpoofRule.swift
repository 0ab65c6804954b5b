/// One signal of forgery, with its thresholds and weights.
///
/// State across fixes is a group of ``DriverState``, accessible as ``FixContext/driver``. The position of a rule in
/// ``SpoofRules`` determines which members of ``FixContext`` are set when it runs.
protocol SpoofRule: Sendable {
    /// Log-likelihood ratios, each from 0 to ``TrackingSettings/Risk/maximumSignal``; by default, the properties whose
    /// names end with `weight` or `Weight`.
    var weights: [Double] { get }

    /// Examines one fix of a driver.
    ///
    /// Must not allocate, because it runs for each fix, and must not use the current time or random numbers.
    func examine(_ context: inout FixContext, _ settings: TrackingSettings)

    /// Returns one sentence per invalid setting.
    func problems() -> [String]
}

extension SpoofRule {
    var weights: [Double] {
        Mirror(reflecting: self).children.compactMap { name, value in
            name?.lowercased().hasSuffix("weight") == true ? value as? Double : nil
        }
    }

    func problems() -> [String] { [] }
}
