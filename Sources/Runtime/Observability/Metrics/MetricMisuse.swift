/// A metric asked for in a way that the catalogue does not declare.
///
/// Its values go nowhere.
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

    /// Whether a programmer of ours made the mistake, so that a debug build may stop at it.
    ///
    /// Libraries bring metrics of their own, which are dropped in silence; too many series is a fact of the running
    /// system and not of the code.
    package var isOurs: Bool {
        switch self {
        case .undeclared(let name): name.hasPrefix("sightline_")
        case .wrongKind, .wrongLabels: true
        case .tooManySeries: false
        }
    }

    package var description: String {
        switch self {
        case .undeclared(let name): "\(name) is not in the metric catalogue."
        case .wrongKind(let name, let declared, let used): "\(name) is declared as \(declared), and used as \(used)."
        case .wrongLabels(let name, let declared, let used):
            "\(name) is declared with the labels \(declared), and used with \(used)."
        case .tooManySeries(let name, let limit): "\(name) has over \(limit) series; new ones are dropped."
        }
    }
}
