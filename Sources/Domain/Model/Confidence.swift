/// Reliability of an estimate, as shown to riders and dispatchers.
package enum Confidence: UInt8, Sendable, CaseIterable {
    case low, medium, high

    /// Wire code.
    package var code: StaticString {
        switch self {
        case .low: "LOW"
        case .medium: "MEDIUM"
        case .high: "HIGH"
        }
    }
}
