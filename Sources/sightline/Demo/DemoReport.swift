import Domain
import Simulation

/// The report of `sightline demo`: figures of the run, comparison with the simulation, and the audit.
struct DemoReport {
    let figures: DemoFigures
    let audit: AuditReport
    /// Latency of updates derived from raw records; `nil` if unknown, as for a recording without send times.
    let latency: LatencyHistogram?
    let spoofing: SpoofingScore.Result?
    let arrivals: ArrivalScore.Result?
    /// Notifications for the ride whose link the demo shows; `nil` without such a ride.
    let notifications: [DemoPhone.Notification]?
    /// Number of drivers of the simulated fleet; 0 for a recording.
    let fleetSize: Int

    /// Creates a report; `isLive`: whether timestamps of raw records are send times.
    init(
        figures: DemoFigures, drivers: [DriverGroundTruth], trips: [TripGroundTruth], audit: AuditReport,
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
        case drivers, rawRecords, fixes, verdicts, deadLetters, riderUpdates, latency = "latency_ms", notifications
        case smoothing, spoofing, eta, audit
    }

    /// Errors of all fixes, or of those with one kind of receiver and surroundings.
    private struct Smoothing: Encodable {
        var receiver: String?
        var surroundings: String?
        var fixes: Int
        var rawRmseMeters: Double
        var smoothedRmseMeters: Double
        var byReceiver: [Smoothing]?

        init(_ fixes: Int, _ errors: AccuracyScore.RootMeanSquares) {
            self.fixes = fixes
            rawRmseMeters = errors.raw.rounded(toDecimals: 2)
            smoothedRmseMeters = errors.smoothed.rounded(toDecimals: 2)
        }
    }

    private var smoothing: Smoothing? {
        guard let errors = figures.accuracy.rootMeanSquares else { return nil }
        var all = Smoothing(figures.accuracy.count, errors)
        all.byReceiver = figures.accuracy.groups.map { conditions, count, errors in
            var group = Smoothing(count, errors)
            group.receiver = conditions.receiver.rawValue
            group.surroundings = conditions.environment.rawValue
            return group
        }
        return all
    }

    /// Writes every key; figures that could not be measured are null.
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
        try container.encode(smoothing, forKey: .smoothing)
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
                    "count": Double($0.count), "mae_seconds": $0.meanAbsoluteErrorSeconds.rounded(toDecimals: 2),
                    "within_interval": $0.withinInterval?.rounded(toDecimals: 4),
                ]
            }, forKey: .eta)
        try container.encode(audit, forKey: .audit)
    }
}
