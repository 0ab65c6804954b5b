/// Use of a metric that the catalogue does not declare that way; its values are dropped.
package enum MetricMisuse: Error, Sendable, Hashable, CustomStringConvertible {
    case undeclared(name: String)
    case wrongKind(name: String, declared: String, used: String)
    case wrongLabels(name: String, declared: [String], used: [String])
    case tooManySeries(name: String, limit: Int)

    package var name: String {
        switch self {
        case .undeclared(let name), .wrongKind(let name, _, _), .wrongLabels(let name, _, _),
            .tooManySeries(let name, _):
            name
        }
    }

    /// Whether it is a bug in Sightline, at which a debug build stops.
    ///
    /// Metrics of libraries are dropped silently; the number of series depends on the running system, not on the code.
    package var isBug: Bool {
        switch self {
        case .undeclared(let name): name.hasPrefix("sightline_")
        case .wrongKind, .wrongLabels: true
        case .tooManySeries: false
        }
    }

    package var description: String {
        switch self {
        case .undeclared(let name): "\(name) is not in the metric catalogue."
        case .wrongKind(let name, let declared, let used): "\(name) is declared as \(declared) but used as \(used)."
        case .wrongLabels(let name, let declared, let used):
            "\(name) is declared with the labels \(declared) but used with \(used)."
        case .tooManySeries(let name, let limit): "\(name) has more than \(limit) series; new ones are dropped."
        }
    }
}
