import Codec
import Domain
import Support

/// Warning of `driver.warnings` in the form for the driver.
///
/// Drivers receive only warnings about what their device reports, so that an honest driver can fix it. Results of
/// position analysis and all numbers are withheld, because they would show a forger which forgeries are detected.
struct DriverWarning: Sendable, Hashable {
    let event: EventID
    let code: Code
    let action: LocationWarning.Action

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
        // An accuracy of 0 raises the warning with the action NONE; other actions are based on how the fields change.
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
        guard let known = Reasons.all.first(where: { $0.value == reason }) else { return nil }
        self.init(rawValue: "\(known.code)")
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
    var payload: MessageWriter {
        var writer = MessageWriter()
        writer.text("warning_code", code.rawValue)
        writer.text("action", "\(action.code)")
        writer.text("message", message)
        return writer
    }
}

/// Filters warnings that a device has already received since it connected.
struct SentWarningFilter: Sendable {
    private var watermark = Watermark()
    private var open: [DriverWarning.Code: LocationWarning.Action] = [:]

    /// Accepts event ids that restart, as in a recreated topic; open warnings stay known.
    mutating func restart() { watermark = Watermark() }

    /// Records a warning, in the order of the partition.
    /// - Returns: whether to send it. Repeated records are not sent, nor is the end of a warning that was never sent,
    ///   because that would reveal a withheld detection.
    mutating func shouldSend(_ warning: DriverWarning) -> Bool {
        guard watermark.advance(to: warning.event) else { return false }
        if warning.action == .resolved { return open.removeValue(forKey: warning.code) != nil }
        return open.updateValue(warning.action, forKey: warning.code) != warning.action
    }
}

/// Reads `driver.warnings` for the devices of the drivers; the name is the driver's id.
struct WarningIntakeReader: IntakeReader {
    typealias Name = String

    static let topic = PipelineTopic.warnings
    private let reader = WarningReader()

    func content(of value: ByteSlice) -> DriverWarning? {
        guard let record = reader.read(value) else { return nil }
        return DriverWarning(record.warning.reason, record.warning.action, event: record.eventID)
    }
}
