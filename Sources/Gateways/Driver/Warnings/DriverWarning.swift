import Codec
import Domain
import Support

/// Warning of `driver.warnings` as sent to the driver.
///
/// Drivers receive only warnings about values that their device reports, which an honest driver can correct. Results
/// of position analysis and all measured values are withheld, because they would help a forger to avoid detection.
struct DriverWarning: Sendable {
    let event: EventID
    let reason: Reasons
    let action: LocationWarning.Action
    private let code: StaticString
    private let sentence: String

    private static let sentences: [Reasons: String] = [
        .nullIsland: "The device reports latitude and longitude 0; it has no position.",
        .clockSkew: "The device's clock is wrong; enable network time.",
        .rateLimited: "The device sends locations more often than allowed.",
        .lowAccuracy: "The positions are too inaccurate; allow precise location for the app.",
        .mockLocation: "The device reports a mock location; turn mock locations off.",
        .deviceIntegrity: "The device has failed its integrity check.",
        .accuracyAnomaly: "The device reports an accuracy of 0.",
    ]

    /// Creates the warning; `nil` if the driver must not receive it.
    init?(_ reason: Reasons, _ action: LocationWarning.Action, event: EventID) {
        // Manual reviews are confidential.
        guard let sentence = Self.sentences[reason], let known = Reasons.all.first(where: { $0.value == reason }),
            action != .review
        else { return nil }
        // An accuracy of 0 has the action NONE. Other actions result from how the fields change, which is withheld.
        if reason == .accuracyAnomaly, action != .none, action != .resolved { return nil }
        (self.event, self.reason, self.action, code, self.sentence) = (event, reason, action, known.code, sentence)
    }

    /// Text for the driver, without measured values.
    var message: String { action == .resolved ? "Resolved: \(sentence)" : sentence }

    var payload: MessageWriter {
        var writer = MessageWriter()
        writer.text("warning_code", "\(code)")
        writer.text("action", "\(action.code)")
        writer.text("message", message)
        return writer
    }
}

/// Filter for warnings that a device has already received since it connected.
struct SentWarningFilter: Sendable {
    private var watermark = Watermark()
    private var open: [Reasons: LocationWarning.Action] = [:]

    /// Resets the watermark, because event ids restart in a recreated topic; keeps the open warnings.
    mutating func restart() { watermark = Watermark() }

    /// Records a warning; call it in the order of the partition.
    /// - Returns: `false` if the warning must not be sent: for repeated records, for an unchanged action, and for the end
    ///   of a warning that was not sent, because this would reveal a withheld detection.
    mutating func shouldSend(_ warning: DriverWarning) -> Bool {
        guard watermark.advance(to: warning.event) else { return false }
        if warning.action == .resolved { return open.removeValue(forKey: warning.reason) != nil }
        return open.updateValue(warning.action, forKey: warning.reason) != warning.action
    }
}

/// Extractor of warnings from `driver.warnings`; the name of a channel is the driver's id.
struct WarningExtractor: ContentExtractor {
    typealias Name = String

    static let topic = PipelineTopic.warnings
    private let reader = WarningReader()

    func content(of value: ByteSlice) -> DriverWarning? {
        guard let record = reader.read(value) else { return nil }
        return DriverWarning(record.warning.reason, record.warning.action, event: record.eventID)
    }
}
