import Processing

/// Writer of the Prometheus text format, version 0.0.4.
///
/// Source: "Exposition formats" in the Prometheus documentation.
package struct PrometheusText {
    /// The `Content-Type` of a scrape response.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    /// Writes the HELP and TYPE lines of a metric.
    package mutating func writeHeader(_ definition: MetricDefinition) {
        text += "# HELP \(definition.name) \(Self.escapedHelp(definition.help))\n"
        text += "# TYPE \(definition.name) \(definition.kind.prometheusName)\n"
    }

    /// Writes one sample; `labels` must be escaped, see ``labels(_:)``.
    package mutating func writeSample(_ name: String, labels: String, _ value: Double) {
        text += name
        if !labels.isEmpty { text += "{\(labels)}" }
        text += " \(Self.number(value))\n"
    }

    /// Formats labels with escaped values, without the braces.
    package static func labels(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\($0.name)=\"\(escapedLabelValue($0.value))\"" }.joined(separator: ",")
    }

    package static func escapedLabelValue(_ value: String) -> String { escaped(value, quotes: true) }

    package static func escapedHelp(_ text: String) -> String { escaped(text, quotes: false) }

    /// Formats a number with the fewest digits that parse to it; whole numbers without a fraction.
    package static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Up to 2^53 every whole number is exact.
        if value == value.rounded(.towardZero), abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
        return value.description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        // Iterates over scalars, because a carriage return and a line feed are one Character.
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quotes: result.append(contentsOf: "\\\"".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
