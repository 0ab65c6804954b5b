import Model
import Simulation

/// What `sightline demo` ends with: what was seen of the run, how that compares with the simulation's truth, and what
/// the audit found.
struct DemoReport {
    let figures: DemoFigures
    let audit: AuditReport
    /// Of updates made by a raw record; `nil` for a recording, whose records carry the times of the recording.
    let latency: LatencyHistogram?
    let spoofing: SpoofingScore.Result?
    let arrivals: ArrivalScore.Result?
    /// What the phone of the rider whose ride was shown would have been sent; `nil` where there was none.
    let notifications: [DemoPhone.Notification]?
    /// Drivers of the simulated fleet; 0 for a recording.
    let fleetSize: Int

    /// - Parameters:
    ///   - figures: what was seen on the topics.
    ///   - drivers: the truth of a simulated fleet; empty for a recording.
    ///   - trips: the truth of a simulated fleet's trips; empty for a recording.
    ///   - audit: what the audit found.
    ///   - notifications: those of the ride that was shown; `nil` where there was none.
    ///   - isLive: whether raw records carry the time at which they were sent.
    init(
        figures: DemoFigures, drivers: [DriverTruth], trips: [TripTruth], audit: AuditReport,
        notifications: [DemoPhone.Notification]? = nil, isLive: Bool
    ) {
        self.figures = figures
        self.audit = audit
        self.notifications = notifications
        latency = isLive && figures.latency.times.count > 0 ? figures.latency.times : nil
        spoofing = figures.spoofing.result(drivers, seen: figures.drivers)
        arrivals = figures.arrivals.result(trips)
        fleetSize = drivers.count
    }
}

extension DemoReport: Encodable {
    private enum Key: String, CodingKey {
        case drivers
        case rawRecords = "raw_records"
        case fixes, verdicts
        case deadLetters = "dead_letters"
        case riderUpdates = "rider_updates"
        case latency = "latency_ms"
        case notifications, smoothing, spoofing, eta, audit
    }

    /// Writes every key; what could not be measured is null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let verdicts = Verdict.allCases.map { ("\($0.code)", figures.verdicts[$0] ?? 0) }
        try container.encode(figures.drivers.count, forKey: .drivers)
        try container.encode(figures.rawRecords, forKey: .rawRecords)
        try container.encode(figures.fixes, forKey: .fixes)
        try container.encode(Dictionary(uniqueKeysWithValues: verdicts), forKey: .verdicts)
        try container.encode(figures.deadLetters, forKey: .deadLetters)
        try container.encode(figures.riderUpdates, forKey: .riderUpdates)
        try container.encode(
            latency.map { ["p50": $0.percentile(0.5), "p99": $0.percentile(0.99)] }, forKey: .latency)
        try container.encode(notifications, forKey: .notifications)
        try container.encode(DemoReport.Smoothing(figures.accuracy), forKey: .smoothing)
        try container.encode(
            spoofing.map {
                [
                    "cheaters": $0.cheaters, "caught": $0.caught, "honest": $0.honest,
                    "honest_rejected": $0.honestRejected, "honest_fixes_rejected": honestFixesRejected,
                    "brief_cheaters": $0.briefCheaters, "silent": $0.silent,
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

    static func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
