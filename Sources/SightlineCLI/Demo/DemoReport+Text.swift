import Foundation
import Tracking

extension DemoReport {
    /// The report for people.
    var text: String {
        var rows: [(String, String)] = [
            ("raw records", "\(rawRecords), with \(fixes) fixes"),
            ("verdicts", Verdict.allCases.map { "\(verdicts[$0] ?? 0) \($0.code)" }.joined(separator: ", ")),
            ("dead letters", "\(deadLetters)"), ("rows in history", "\(historyRows)"),
            ("drivers in Redis", "\(redisDrivers)"), ("rider updates", "\(riderUpdates)"),
        ]
        rows.append(("latency", latency.map { "p50 \($0.p50) ms, p99 \($0.p99) ms" } ?? Self.unknown))
        rows.append(
            (
                "smoothing",
                smoothing.map {
                    "RMSE \(Self.tenths($0.rawRMSEMeters)) m raw, \(Self.tenths($0.smoothedRMSEMeters)) m smoothed"
                } ?? Self.unknown
            ))
        rows.append(
            (
                "spoofing",
                spoofing.map {
                    "\($0.caught) of \($0.cheaters) cheaters caught, \($0.honestRejected) of \($0.honest) honest drivers rejected"
                } ?? Self.unknown
            ))
        rows.append(("arrival times", arrivals.map(Self.text) ?? Self.unknown))
        rows.append(("lost, doubled", "\(lost), \(doubled)"))
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { "  \($0.0.padding(toLength: width, withPad: " ", startingAt: 0))  \($0.1)" }
        return (["Report"] + lines + complaints).joined(separator: "\n")
    }

    private static let unknown = "not measurable here"

    private static func text(_ result: ArrivalScore.Result) -> String {
        let within = result.withinInterval.map { ", \(Int(($0 * 100).rounded())) % inside their interval" } ?? ""
        return "\(result.count) promises, off by \(tenths(result.meanAbsoluteErrorSeconds)) s on average\(within)"
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
