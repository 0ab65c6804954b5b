import Simulation
import Tracking

/// What `sightline demo` ends with: what was seen of the run, how that compares with the simulation's truth, and what
/// the audit found.
struct DemoReport {
    let figures: DemoFigures
    let audit: AuditReport
    /// Of updates made by a raw record; `nil` for a recording, whose records carry the times of the recording.
    let latency: LatencyHistogram?
    let spoofing: SpoofingScore.Result?
    let arrivals: ArrivalScore.Result?

    /// - Parameters:
    ///   - figures: what was seen on the topics.
    ///   - drivers: the truth of a simulated fleet; empty for a recording.
    ///   - trips: the truth of a simulated fleet's trips; empty for a recording.
    ///   - audit: what the audit found.
    ///   - isLive: whether raw records carry the time at which they were sent.
    init(figures: DemoFigures, drivers: [DriverTruth], trips: [TripTruth], audit: AuditReport, isLive: Bool) {
        self.figures = figures
        self.audit = audit
        latency = isLive && figures.latency.times.count > 0 ? figures.latency.times : nil
        spoofing = figures.spoofing.result(drivers, seen: figures.drivers)
        arrivals = figures.arrivals.result(trips)
    }

    /// The report for people.
    var text: String {
        let verdicts = Verdict.allCases.map { "\(figures.verdicts[$0] ?? 0) \($0.code)" }.joined(separator: ", ")
        let smoothing = figures.accuracy.rootMeanSquares.map {
            "RMSE \(Self.tenths($0.raw)) m raw, \(Self.tenths($0.smoothed)) m smoothed"
        }
        let spoofing = spoofing.map {
            "\($0.caught) of \($0.cheaters) cheaters caught, "
                + "\($0.honestRejected) of \($0.honest) honest drivers rejected"
        }
        let rows = [
            ("raw records", "\(figures.rawRecords), with \(figures.fixes) fixes"), ("verdicts", verdicts),
            ("dead letters", "\(figures.deadLetters)"), ("rider updates", "\(figures.riderUpdates)"),
            ("latency", latency?.summary), ("smoothing", smoothing), ("spoofing", spoofing),
            ("arrival times", arrivals.map(Self.text)),
        ]
        return
            (["Report"] + DemoTable.lines(rows.map { ($0.0, $0.1 ?? "not measurable here") }) + [audit.text])
            .joined(separator: "\n")
    }

    private static func text(_ result: ArrivalScore.Result) -> String {
        let within = result.withinInterval.map { ", \(Int(($0 * 100).rounded())) % inside their interval" } ?? ""
        return "\(result.count) promises, off by \(tenths(result.meanAbsoluteErrorSeconds)) s on average\(within)"
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}

extension DemoReport: Encodable {
    private enum Key: String, CodingKey {
        case rawRecords = "raw_records"
        case fixes, verdicts
        case deadLetters = "dead_letters"
        case riderUpdates = "rider_updates"
        case latency = "latency_ms"
        case smoothing, spoofing, eta, audit
    }

    /// Writes every key; what could not be measured is null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let verdicts = Verdict.allCases.map { ("\($0.code)", figures.verdicts[$0] ?? 0) }
        try container.encode(figures.rawRecords, forKey: .rawRecords)
        try container.encode(figures.fixes, forKey: .fixes)
        try container.encode(Dictionary(uniqueKeysWithValues: verdicts), forKey: .verdicts)
        try container.encode(figures.deadLetters, forKey: .deadLetters)
        try container.encode(figures.riderUpdates, forKey: .riderUpdates)
        try container.encode(
            latency.map { ["p50": $0.percentile(0.5), "p99": $0.percentile(0.99)] }, forKey: .latency)
        try container.encode(
            figures.accuracy.rootMeanSquares.map {
                ["raw_rmse_meters": Self.hundredths($0.raw), "smoothed_rmse_meters": Self.hundredths($0.smoothed)]
            }, forKey: .smoothing)
        try container.encode(
            spoofing.map {
                [
                    "cheaters": $0.cheaters, "caught": $0.caught, "honest": $0.honest,
                    "honest_rejected": $0.honestRejected,
                ]
            }, forKey: .spoofing)
        try container.encode(
            arrivals.map {
                [
                    "count": Double($0.count), "mae_seconds": Self.hundredths($0.meanAbsoluteErrorSeconds),
                    "within_interval": $0.withinInterval.map { Self.hundredths($0 * 100) / 100 },
                ]
            }, forKey: .eta)
        try container.encode(audit, forKey: .audit)
    }

    private static func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
