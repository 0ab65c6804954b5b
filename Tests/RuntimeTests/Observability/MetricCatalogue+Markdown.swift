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
