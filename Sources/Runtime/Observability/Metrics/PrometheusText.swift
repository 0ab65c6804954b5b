import Processing

/// Writes the Prometheus text format, version 0.0.4.
///
/// Source: "Exposition formats" in the Prometheus documentation.
package struct PrometheusText {
    /// The `Content-Type` of a scrape's answer.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    /// The two comment lines that come before the samples of a metric.
    package mutating func writeHeader(_ definition: MetricDefinition) {
        text += "# HELP \(definition.name) \(Self.escapedHelp(definition.help))\n"
        text += "# TYPE \(definition.name) \(definition.kind.prometheusName)\n"
    }

    /// One sample; `labels` are written as given, see ``labels(_:)``.
    package mutating func writeSample(_ name: String, labels: String, _ value: Double) {
        text += name
        if !labels.isEmpty { text += "{\(labels)}" }
        text += " \(Self.number(value))\n"
    }

    /// Names and values as they stand between the braces, escaped.
    package static func labels(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\($0.name)=\"\(escapedLabelValue($0.value))\"" }.joined(separator: ",")
    }

    /// A label value with backslash, quotation mark and line feed escaped.
    package static func escapedLabelValue(_ value: String) -> String {
        escaped(value, quotes: true)
    }

    /// A help text with backslash and line feed escaped.
    package static func escapedHelp(_ text: String) -> String {
        escaped(text, quotes: false)
    }

    /// A number in the shortest form that reads back as the same number; whole numbers without a fraction.
    package static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Up to 2^53 every whole number is exact, so its digits are the truth.
        if value == value.rounded(.towardZero), abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
        return value.description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        // By scalars: to Character a carriage return and a line feed are one, and the line feed would get through.
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
