/// Name, type, help text and labels of one metric; all are declared in ``MetricCatalogue``.
package struct MetricDefinition: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case counter
        case gauge
        /// `buckets` are the inclusive upper bounds, in ascending order, without infinity.
        case histogram(buckets: [Double])

        /// The word after `# TYPE`.
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
    /// One sentence for `# HELP` and the documentation.
    package let help: String
    /// Labels of every series, in this order.
    package let labels: [MetricLabel]

    package init(_ name: String, _ kind: Kind, labels: [MetricLabel] = [], help: String) {
        (self.name, self.kind, self.help, self.labels) = (name, kind, help, labels)
    }
}
