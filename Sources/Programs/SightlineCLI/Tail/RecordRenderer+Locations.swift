import Pipeline
import Tracking
import Wire

/// Lines for locations, verdicts and warnings.
extension RecordRenderer {
    func rawText(_ record: InputRecord) -> String? {
        guard case .fixes(let isBatch) = read(record) else { return nil }
        guard let first = fixes.first else { return "empty batch" }
        let trip = first.tripID.isEmpty ? "" : "  \(first.tripID.string)"
        let single = "#\(first.fix.sequence.map(String.init) ?? "–")  \(Self.text(first.fix))\(trip)"
        return isBatch ? "batch of \(fixes.count) from \(single)" : single
    }

    static func text(_ verdict: VerdictRecord) -> String {
        var parts = ["\(verdict.eventID)", "#\(verdict.sequence.map(String.init) ?? "–")", "\(verdict.verdict.code)"]
        if let estimate = verdict.estimate {
            parts.append(text(estimate.coordinate))
            parts.append("±\(tenths(estimate.accuracyMeters)) m \(estimate.confidence.code)")
            parts.append("\(tenths(estimate.speedMetersPerSecond)) m/s")
            if estimate.isHalted { parts.append("halted") }
        } else {
            parts.append(text(verdict.raw.coordinate))
        }
        let reasons = Reasons.all.filter { verdict.reasons.contains($0.value) }.map { "\($0.code)" }
        if !reasons.isEmpty { parts.append(reasons.joined(separator: ",")) }
        if verdict.risk >= 0.1 { parts.append("risk \((verdict.risk * 100).rounded() / 100)") }
        return parts.joined(separator: "  ")
    }

    static func text(_ warning: WarningRecord) -> String {
        let code = Reasons.all.first { $0.value == warning.warning.reason }.map { "\($0.code)" } ?? "–"
        return "\(warning.eventID)  \(code)  \(warning.warning.action.code)  \(warning.message.string)"
    }

    private static func text(_ fix: Fix) -> String {
        var parts = [text(fix.coordinate)]
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
