import Domain

/// Warning of `driver.warnings` in the form for the driver.
///
/// Drivers receive only warnings about what their device reports, so that an honest driver can fix it. Results of
/// position analysis and all numbers are withheld, because they would show a forger which forgeries are detected.
struct DriverWarning: Sendable, Hashable {
    let event: EventID
    let code: Code
    let action: LocationWarning.Action

    /// Codes sent to drivers, each with a sentence for the driver.
    enum Code: String, CaseIterable, Sendable {
        case nullIsland = "NULL_ISLAND"
        case clockSkew = "CLOCK_SKEW"
        case rateLimited = "RATE_LIMITED"
        case lowAccuracy = "LOW_ACCURACY"
        case mockLocation = "MOCK_LOCATION"
        case deviceIntegrity = "DEVICE_INTEGRITY"
        case accuracyAnomaly = "ACCURACY_ANOMALY"
    }

    /// Returns `nil` if the driver must not receive the warning.
    init?(_ reason: Reasons, _ action: LocationWarning.Action, event: EventID) {
        // Manual reviews are confidential.
        guard let code = Code(reason), action != .review else { return nil }
        // With any other action than NONE, which an accuracy of 0 raises, the warning is based on how the fields
        // change.
        if code == .accuracyAnomaly, action != .none, action != .resolved { return nil }
        self.code = code
        self.action = action
        self.event = event
    }

    /// Text for the driver, without numbers.
    var message: String {
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
        case .clockSkew: "The device's clock is wrong; enable network time."
        case .rateLimited: "The device sends locations more often than allowed."
        case .lowAccuracy: "The positions are too inaccurate; allow precise location for the app."
        case .mockLocation: "The device reports a mock location; turn mock locations off."
        case .deviceIntegrity: "The device has failed its integrity check."
        case .accuracyAnomaly: "The device reports an accuracy of 0."
        }
    }
}

extension DriverWarning {
    /// Payload of the device's message.
    var payload: MessageWriter {
        var writer = MessageWriter()
        writer.text("warning_code", code.rawValue)
        writer.text("action", "\(action.code)")
        writer.text("message", message)
        return writer
    }
}
