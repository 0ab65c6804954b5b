import Foundation
import Tracking

extension DemoReport: Encodable {
    private enum Key: String, CodingKey {
        case rawRecords = "raw_records"
        case fixes, verdicts
        case deadLetters = "dead_letters"
        case historyRows = "history_rows"
        case redisDrivers = "redis_drivers"
        case riderUpdates = "rider_updates"
        case lost, doubled
        case latency = "latency_ms"
        case smoothing, spoofing, eta
    }

    /// Writes every key; what could not be measured is null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(rawRecords, forKey: .rawRecords)
        try container.encode(fixes, forKey: .fixes)
        try container.encode(verdictCounts, forKey: .verdicts)
        try container.encode(deadLetters, forKey: .deadLetters)
        try container.encode(historyRows, forKey: .historyRows)
        try container.encode(redisDrivers, forKey: .redisDrivers)
        try container.encode(riderUpdates, forKey: .riderUpdates)
        try container.encode(lost, forKey: .lost)
        try container.encode(doubled, forKey: .doubled)
        try container.encode(latency.map { ["p50": $0.p50, "p99": $0.p99] }, forKey: .latency)
        try container.encode(
            smoothing.map {
                [
                    "raw_rmse_meters": Self.hundredths($0.rawRMSEMeters),
                    "smoothed_rmse_meters": Self.hundredths($0.smoothedRMSEMeters),
                ]
            }, forKey: .smoothing)
        try container.encode(
            spoofing.map {
                [
                    "cheaters": $0.cheaters, "caught": $0.caught, "honest": $0.honest,
                    "honest_rejected": $0.honestRejected,
                ]
            }, forKey: .spoofing)
        try container.encode(arrivals.map(Arrivals.init), forKey: .eta)
    }

    /// The report as text, with keys in a fixed order.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    private var verdictCounts: [String: Int] {
        Dictionary(uniqueKeysWithValues: Verdict.allCases.map { ("\($0.code)", verdicts[$0] ?? 0) })
    }

    private struct Arrivals: Encodable {
        enum Key: String, CodingKey {
            case count
            case meanAbsoluteError = "mae_seconds"
            case withinInterval = "within_interval"
        }

        let result: ArrivalScore.Result

        init(_ result: ArrivalScore.Result) { self.result = result }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(result.count, forKey: .count)
            try container.encode(DemoReport.hundredths(result.meanAbsoluteErrorSeconds), forKey: .meanAbsoluteError)
            try container.encode(
                result.withinInterval.map { DemoReport.hundredths($0 * 100) / 100 }, forKey: .withinInterval)
        }
    }

    private static func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
