/// Use of a metric that differs from its declaration; the values are dropped.
package struct MetricMisuse: Error, Sendable, Hashable, CustomStringConvertible {
    package let name: String
    package let description: String
    /// Whether the misuse is a bug in Sightline, at which a debug build stops.
    ///
    /// `false` for undeclared metrics of libraries, and for too many series, which depend on the running system.
    package let isBug: Bool

    static func undeclared(name: String) -> MetricMisuse {
        MetricMisuse(
            name: name, description: "\(name) is not in the metric catalogue.", isBug: name.hasPrefix("sightline_"))
    }

    static func wrongKind(name: String, declared: String, used: String) -> MetricMisuse {
        MetricMisuse(name: name, description: "\(name) is declared as \(declared) but used as \(used).", isBug: true)
    }

    static func wrongLabels(name: String, declared: [String], used: [String]) -> MetricMisuse {
        let description = "\(name) is declared with the labels \(declared) but used with \(used)."
        return MetricMisuse(name: name, description: description, isBug: true)
    }

    static func tooManySeries(name: String, limit: Int) -> MetricMisuse {
        MetricMisuse(
            name: name, description: "\(name) has more than \(limit) series; new ones are dropped.", isBug: false)
    }
}
