/// Parsed scrape, for the live table of the command line tool and for tests.
package struct MetricsSnapshot: Sendable {
    package struct Sample: Sendable, Equatable {
        package var name: String
        package var labels: [String: String]
        package var value: Double
    }

    package private(set) var samples: [Sample] = []

    /// Parses the Prometheus text format, version 0.0.4; ignores comments.
    /// - Throws: ``MetricsSnapshotError`` for the first invalid line.
    package init(parsing text: String) throws(MetricsSnapshotError) {
        // Splits scalars, because a carriage return and a line feed are one Character.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var reader = MetricsLineReader(line)
            reader.skipSpaces()
            if reader.isAtEnd || reader.skip("#") { continue }
            guard let sample = reader.sample() else { throw MetricsSnapshotError(line: index + 1, text: String(line)) }
            samples.append(sample)
        }
    }

    /// Returns the value of the series with exactly these labels; `nil` if absent.
    package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    /// Returns the sum of all series of `name` with at least these labels.
    package func sum(_ name: String, where labels: [String: String] = [:]) -> Double {
        matching(name, labels).reduce(0) { $0 + $1.value }
    }

    func matching(_ name: String, _ labels: [String: String]) -> [Sample] {
        samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }
    }
}

/// Invalid line of the Prometheus text format.
package struct MetricsSnapshotError: Error, Equatable, CustomStringConvertible {
    /// Number of the invalid line, from 1.
    package let line: Int
    package let text: String

    package var description: String { "Line \(line) is not Prometheus text: \(text.prefix(120))" }
}

/// Tokenizer for one line of the Prometheus text format.
struct MetricsLineReader {
    private var rest: Substring.UnicodeScalarView

    init(_ line: Substring.UnicodeScalarView) { rest = line }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skipSpaces() {
        while let first = rest.first, Self.isSpace(first) { rest.removeFirst() }
    }

    /// Parses name, labels, value and an optional timestamp; `nil` if they are malformed.
    mutating func sample() -> MetricsSnapshot.Sample? {
        guard let name = name() else { return nil }
        skipSpaces()
        guard let labels = labels() else { return nil }
        skipSpaces()
        guard let value = Self.number(prefix { !Self.isSpace($0) }) else { return nil }
        skipSpaces()
        guard isAtEnd || Int64(prefix { !Self.isSpace($0) }) != nil else { return nil }
        return MetricsSnapshot.Sample(name: name, labels: labels, value: value)
    }

    /// Parses a sample's value or a bucket's bound.
    static func number(_ text: String) -> Double? {
        switch text {
        case "+Inf", "Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: Double(text)
        }
    }

    /// Consumes the scalars that satisfy `condition`.
    private mutating func prefix(_ condition: (Unicode.Scalar) -> Bool) -> String {
        let prefix = rest.prefix(while: condition)
        rest = rest[prefix.endIndex...]
        return String(prefix)
    }

    /// Consumes the name of a metric or label; `nil` if absent.
    private mutating func name() -> String? {
        if let first = rest.first, ("0"..."9").contains(first) { return nil }
        let name = prefix { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", ":": true
            default: false
            }
        }
        return name.isEmpty ? nil : name
    }

    /// Consumes the labels in braces; empty if there is no brace, `nil` if they are malformed.
    private mutating func labels() -> [String: String]? {
        guard skip("{") else { return [:] }
        var labels: [String: String] = [:]
        while true {
            skipSpaces()
            if skip("}") { return labels }
            guard let name = name(), skip("="), let value = quoted() else { return nil }
            labels[name] = value
            skipSpaces()
            if skip(",") { continue }
            return skip("}") ? labels : nil
        }
    }

    private mutating func quoted() -> String? {
        guard skip("\"") else { return nil }
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(text)
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                text.append(escaped == "n" ? "\n" : escaped)
            default: text.append(scalar)
            }
        }
        return nil
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }
}
