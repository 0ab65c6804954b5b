/// Texts of errors about values in files and messages: name and value, then the allowed values.
package enum FaultText {
    /// Maximum number of a value's characters in an error.
    private static let maximumCharacters = 60

    /// Accepted formats of a time, for ``expected(_:_:_:)``.
    package static let time =
        "ISO 8601 with a time zone, such as 2026-03-14T18:32:15Z, or seconds or milliseconds since 1970"

    /// Formats a missing value: `latitude is missing`.
    package static func missing(_ name: String) -> String { "\(name) is missing" }

    /// Formats a value outside its range: `latitude 91 is outside -90 to 90`.
    package static func outside(_ name: String, _ value: String, _ range: String) -> String {
        "\(name) \(value) is outside \(range)"
    }

    /// Formats another invalid value: `speed "fast" is not accepted; expected a number`.
    package static func expected(_ name: String, _ value: String, _ allowed: String) -> String {
        "\(name) \(value) is not accepted; expected \(allowed)"
    }

    /// Formats an excessive count: `the batch has 501 fixes; at most 500 are allowed`.
    package static func tooMany(_ name: String, _ count: Int, _ elements: String, atMost limit: Int) -> String {
        "\(name) has \(count) \(elements); at most \(limit) are allowed"
    }

    /// Formats a range: `-90 to 90`.
    package static func words(_ range: ClosedRange<Double>) -> String {
        "\(number(range.lowerBound)) to \(number(range.upperBound))"
    }

    package static func quoted(_ text: String) -> String { "\"\(shortened(text))\"" }

    /// Replaces control characters by blanks and truncates long text.
    package static func shortened(_ text: String, to limit: Int? = nil) -> String {
        let limit = limit ?? maximumCharacters
        var shown = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else { return shown + "…" }
            let isControl = scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value)
            shown.unicodeScalars.append(isControl ? " " : scalar)
        }
        return shown
    }

    private static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }
}
