/// What there is to know about one metric: declared once, in ``MetricCatalogue``.
package struct MetricDefinition: Sendable, Hashable {
    /// How a metric behaves, and how Prometheus is told about it.
    package enum Kind: Sendable, Hashable {
        /// Only grows, until the process ends.
        case counter
        /// Goes up and down.
        case gauge
        /// Counts observations by size; `buckets` are the inclusive upper bounds, ascending, without infinity.
        case histogram(buckets: [Double])

        /// As written behind `# TYPE`.
        package var prometheusName: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    package let name: String
    package let kind: Kind
    /// One sentence for the scrape's `# HELP` and for the documentation.
    package let help: String
    /// Every series carries exactly these, and they are written in this order.
    package let labels: [MetricLabel]

    package init(_ name: String, _ kind: Kind, labels: [MetricLabel] = [], help: String) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
    }
}
