import Codec
import Domain
import Processing

/// Entries of locations, verdicts and warnings.
extension RecordRenderer {
    func rawEntry(_ record: InputRecord) -> TailEntry? {
        guard case .fixes(let isBatch) = read(record) else { return nil }
        guard let first = fixes.first else { return TailEntry(details: "empty batch") }
        var entry = TailEntry(
            cells: [
                first.fix.sequence.map(String.init) ?? "", Self.text(first.fix.coordinate), first.tripID.string,
            ], details: Self.text(first.fix))
        if isBatch { entry.details = "first of a batch of \(pluralize(fixes.count, "fix", "fixes"))  \(entry.details)" }
        entry.driver = record.key.string
        entry.trips = tripsNamed(in: record.value)
        return entry
    }

    static func entry(_ verdict: VerdictRecord) -> TailEntry {
        var parts: [String] = []
        if let estimate = verdict.estimate {
            parts.append("±\(tenths(estimate.accuracyMeters)) m \(estimate.confidence.code)")
            parts.append("\(tenths(estimate.speedMetersPerSecond)) m/s")
            if estimate.isHalted { parts.append("halted") }
        }
        let reasons = Reasons.all.filter { verdict.reasons.contains($0.value) }.map { "\($0.code)" }
        if !reasons.isEmpty { parts.append(reasons.joined(separator: ",")) }
        if verdict.risk >= 0.1 { parts.append("risk \((verdict.risk * 100).rounded() / 100)") }
        var entry = TailEntry(
            cells: [
                "\(verdict.eventID)", verdict.sequence.map(String.init) ?? "", "\(verdict.verdict.code)",
                text(verdict.estimate?.coordinate ?? verdict.raw.coordinate), verdict.tripID.string,
            ], details: parts.joined(separator: "  "))
        entry.driver = verdict.driverID.string
        entry.trips = verdict.tripID.isEmpty ? [] : [verdict.tripID.string]
        entry.reasons = reasons
        let color: Terminal.Color =
            switch verdict.verdict {
            case .accepted: .green
            case .rejected: .red
            default: .yellow
            }
        entry.highlight = (2, color)
        return entry
    }

    static func entry(_ record: WarningRecord) -> TailEntry {
        let code = Reasons.all.first { $0.value == record.warning.reason }.map { "\($0.code)" } ?? ""
        var entry = TailEntry(
            cells: ["\(record.eventID)", code, "\(record.warning.action.code)"], details: record.message.string)
        entry.driver = record.driverID.string
        entry.reasons = [code]
        entry.highlight = (2, record.warning.action == .resolved ? .green : .yellow)
        return entry
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
        "\((coordinate.latitude * 1e6).rounded() / 1e6),\((coordinate.longitude * 1e6).rounded() / 1e6)"
    }

    static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
