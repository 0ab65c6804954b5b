@testable import Processing
@testable import Runtime

extension MetricCatalogue {
    /// The tables of `docs/metrics.md`.
    static var markdown: String {
        var text = "| metric | type | labels | meaning |\n|---|---|---|---|\n"
        for metric in all {
            let labels = metric.labels.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            text += "| `\(metric.name)` | \(metric.kind.prometheusName) | \(labels) | \(metric.help) |\n"
        }
        text += "\n| label | values |\n|---|---|\n"
        for label in MetricLabel.allCases { text += "| `\(label.rawValue)` | \(label.values) |\n" }
        text += "\n| histogram | buckets, in seconds |\n|---|---|\n"
        for metric in all {
            guard case .histogram(let buckets) = metric.kind else { continue }
            let bounds = buckets.map { PrometheusText.number($0) }.joined(separator: ", ")
            text += "| `\(metric.name)` | \(bounds) |\n"
        }
        return text
    }
}

extension MetricLabel {
    /// The possible values, for the column `values`.
    fileprivate var values: String {
        switch self {
        case .program: "product names, such as `location-worker`"
        case .version: "the program's version"
        case .stage: "`location`, `eta`, `broadcast`, `position`, `history`, `push`, `rider-gateway`, `driver-gateway`"
        case .topic: "topic names, without the prefix"
        case .partition: "partition numbers, from 0"
        case .consumerGroup: "consumer groups, with the prefix"
        case .verdict: "`accepted`, `late`, `duplicate`, `throttled`, `rejected`"
        case .reason: "reason codes, such as `TELEPORTATION`; `NONE` without a reason"
        case .code: "warning codes, the Kafka client library's error names, or WebSocket close codes"
        case .action: "`NONE`, `FLAG`, `REJECT`, `REVIEW`, `RESOLVED`"
        case .outcome:
            "joins: `resumed`, `refreshed`, `unknown`, `failed`; device messages: `acknowledged`, `refused`, `limited`, "
                + "`failed`; notifications: `delivered`, `unregistered`, `refused`, `abandoned`, `unconfigured`"
        case .platform: "push services: `apns`, `fcm`"
        case .type: "rider updates: message types, such as `eta_update`; limits: `address`, `user`"
        }
    }
}
