/// Use of a metric that the catalogue does not declare that way; its values are dropped.
package struct MetricMisuse: Error, Sendable, Hashable, CustomStringConvertible {
    package let name: String
    package let description: String
    /// Whether it is a bug in Sightline, at which a debug build stops.
    ///
    /// Undeclared metrics of libraries are logged at debug level only. The number of series depends on the running
    /// system, not on the code.
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
