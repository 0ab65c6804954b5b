import Codec
import Domain
import Processing

/// Entries of locations, verdicts and warnings.
extension RecordRenderer {
    func rawEntry(_ record: InputRecord) -> TailEntry? {
        guard case .fixes(let isBatch) = raw.read(key: record.key, value: record.value) else { return nil }
        guard let first = raw.fixes.first else { return TailEntry(details: "empty batch") }
        let batch = isBatch ? "first of a batch of \(pluralize(raw.fixes.count, "fix", "fixes"))  " : ""
        return TailEntry(
            cells: [first.fix.sequence.map(String.init) ?? "", Self.text(first.fix.coordinate), first.tripID.string],
            details: batch + Self.text(first.fix), driver: record.key.string, trips: tripIDs(in: record.value))
    }

    static func entry(_ verdict: VerdictRecord) -> TailEntry {
        var parts: [String] = []
        if let estimate = verdict.estimate {
            parts.append("±\(tenths(estimate.accuracyMeters)) m \(estimate.confidence.code)")
            parts.append("\(tenths(estimate.speedMetersPerSecond)) m/s")
            if estimate.isHalted { parts.append("halted") }
        }
        let reasons = verdict.reasons.codes
        if !reasons.isEmpty { parts.append(reasons.joined(separator: ",")) }
        if verdict.risk >= 0.1 { parts.append("risk \(verdict.risk.rounded(toDecimals: 2))") }
        let ink: StyledLine.Ink =
            switch verdict.verdict {
            case .accepted: .good
            case .rejected: .bad
            default: .warning
            }
        return TailEntry(
            cells: [
                "\(verdict.eventID)", verdict.sequence.map(String.init) ?? "", "\(verdict.verdict.code)",
                text(verdict.estimate?.coordinate ?? verdict.raw.coordinate), verdict.tripID.string,
            ], details: parts.joined(separator: "  "), driver: verdict.driverID.string,
            trips: verdict.tripID.isEmpty ? [] : [verdict.tripID.string], reasons: reasons, highlight: (2, ink))
    }

    static func entry(_ record: WarningRecord) -> TailEntry {
        let code = record.warning.reason.codes.first ?? ""
        return TailEntry(
            cells: ["\(record.eventID)", code, "\(record.warning.action.code)"], details: record.message.string,
            driver: record.driverID.string, reasons: [code],
            highlight: (2, record.warning.action == .resolved ? .good : .warning))
    }

    private static func text(_ fix: Fix) -> String {
        var parts: [String] = []
        if let accuracy = fix.accuracyMeters { parts.append("±\(tenths(accuracy)) m") }
        if let speed = fix.speedMetersPerSecond { parts.append("\(tenths(speed)) m/s") }
        if let heading = fix.headingDegrees { parts.append("\(Int(heading.rounded()))°") }
        if fix.isMock { parts.append("mock") }
        return parts.joined(separator: "  ")
    }

    static func text(_ coordinate: Coordinate) -> String {
        "\(coordinate.latitude.rounded(toDecimals: 6)),\(coordinate.longitude.rounded(toDecimals: 6))"
    }

    static func tenths(_ value: Double) -> String { "\(value.rounded(toDecimals: 1))" }
}
