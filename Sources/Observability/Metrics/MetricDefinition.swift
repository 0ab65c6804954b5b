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

/// The names of all labels, each with the closed set its values come from.
///
/// Never a driver, vehicle or trip: a label's values must stay few for as long as the process lives.
package enum MetricLabel: String, CaseIterable, Sendable {
    case program, version, stage, topic, partition, verdict, reason, code, action, type

    /// What the values are, for the documentation.
    package var values: String {
        switch self {
        case .program: "product names, such as `location-worker`"
        case .version: "the program's version"
        case .stage: "`location`, `eta`, `broadcast`, `position`, `history`"
        case .topic: "topic names, without the prefix"
        case .partition: "partition numbers, from 0"
        case .verdict: "`accepted`, `late`, `duplicate`, `throttled`, `rejected`"
        case .reason: "reason codes, such as `TELEPORTATION`; `NONE` where there is none"
        case .code: "warning codes, or the client library's error names"
        case .action: "`NONE`, `FLAG`, `REJECT`, `REVIEW`"
        case .type: "types of rider updates, such as `eta_update`"
        }
    }
}
