import Model

/// A warning of `driver.warnings` as far as the driver it concerns may know it.
///
/// Told is what a device says of itself, so that an honest driver can put it right. What the pipeline has found out by
/// comparing positions, and every number, is not told: it would teach a forger which forgeries are noticed.
package struct DriverWarning: Sendable, Hashable {
    package let event: EventID
    package let code: Code
    package let action: LocationWarning.Action

    /// The codes that drivers are told, each with a sentence for the driver.
    package enum Code: String, CaseIterable, Sendable {
        case nullIsland = "NULL_ISLAND"
        case clockSkew = "CLOCK_SKEW"
        case rateLimited = "RATE_LIMITED"
        case lowAccuracy = "LOW_ACCURACY"
        case mockLocation = "MOCK_LOCATION"
        case deviceIntegrity = "DEVICE_INTEGRITY"
        case accuracyAnomaly = "ACCURACY_ANOMALY"
    }

    /// `nil` where the driver is not to know of it.
    package init?(_ reason: Reasons, _ action: LocationWarning.Action, event: EventID) {
        // That people look into a case is theirs to tell.
        guard let code = Code(reason), action != .review else { return nil }
        // Beyond NONE, which an accuracy of 0 raises, the fields are judged by how they change.
        if code == .accuracyAnomaly, action != .none, action != .resolved { return nil }
        self.code = code
        self.action = action
        self.event = event
    }

    /// What the driver is told, without any number.
    package var message: String {
        action == .resolved ? "Resolved: \(code.sentence)" : code.sentence
    }
}

extension DriverWarning.Code {
    init?(_ reason: Reasons) {
        switch reason {
        case .nullIsland: self = .nullIsland
        case .clockSkew: self = .clockSkew
        case .rateLimited: self = .rateLimited
        case .lowAccuracy: self = .lowAccuracy
        case .mockLocation: self = .mockLocation
        case .deviceIntegrity: self = .deviceIntegrity
        case .accuracyAnomaly: self = .accuracyAnomaly
        default: return nil
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .nullIsland: "The device reports latitude and longitude 0; it has no position."
        case .clockSkew: "The device's clock is far off; let it take the time from the network."
        case .rateLimited: "The device sends locations more often than allowed."
        case .lowAccuracy: "The positions are not accurate enough; allow the app the precise location."
        case .mockLocation: "The device says that its position is mocked; turn mock locations off."
        case .deviceIntegrity: "The device has failed its integrity check."
        case .accuracyAnomaly: "The device reports an accuracy of 0."
        }
    }
}
