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
        while let first = rest.first, first == " " || first == "\t" || first == "\r" { rest.removeFirst() }
    }

    /// Consumes everything up to the next space.
    mutating func word() -> String {
        let end = rest.firstIndex { $0 == " " || $0 == "\t" || $0 == "\r" } ?? rest.endIndex
        defer { rest = rest[end...] }
        return String(rest[..<end])
    }

    /// Consumes the name of a metric or label; `nil` if absent.
    mutating func name() -> String? {
        let end = rest.firstIndex { !Self.isNameScalar($0) } ?? rest.endIndex
        let name = rest[..<end]
        guard let first = name.first, !("0"..."9").contains(first) else { return nil }
        rest = rest[end...]
        return String(name)
    }

    /// Consumes the labels in braces; empty if there is no brace, `nil` if they are malformed.
    mutating func labels() -> [String: String]? {
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

    /// Consumes the rest of a help text and resolves `\\` and `\n`.
    mutating func unescapedRest() -> String {
        var text = ""
        while let scalar = rest.popFirst() {
            text.unicodeScalars.append(scalar == "\\" ? Self.unescaped(rest.popFirst()) : scalar)
        }
        return text
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

    private mutating func quoted() -> String? {
        guard skip("\"") else { return nil }
        var text = ""
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return text
            case "\\": text.unicodeScalars.append(Self.unescaped(rest.popFirst()))
            default: text.unicodeScalars.append(scalar)
            }
        }
        return nil
    }

    private static func unescaped(_ scalar: Unicode.Scalar?) -> Unicode.Scalar {
        switch scalar {
        case "n": "\n"
        case let other?: other
        case nil: "\\"
        }
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", ":": true
        default: false
        }
    }
}
