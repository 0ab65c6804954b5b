/// How far an estimate can be relied on, as riders and dispatchers read it.
package enum Confidence: UInt8, Sendable, CaseIterable {
    case low, medium, high

    /// As on the wire.
    package var code: StaticString {
        switch self {
        case .low: "LOW"
        case .medium: "MEDIUM"
        case .high: "HIGH"
        }
    }
}
