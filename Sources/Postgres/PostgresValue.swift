/// Parameter of a statement, sent separately from the SQL text.
package enum PostgresValue: Sendable, Hashable {
    case null
    case text(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    case texts([String])
    case integers([Int64])

    package static func optional(_ text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }

    /// The value in Postgres' text format, without NUL characters; `nil` for SQL's null.
    var encoded: String? {
        switch self {
        case .null: nil
        case .text(let text): Self.withoutNul(text)
        case .integer(let value): String(value)
        case .double(let value):
            value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)"
        case .boolean(let value): value ? "t" : "f"
        case .texts(let values): "{" + values.map(Self.quotedElement).joined(separator: ",") + "}"
        case .integers(let values): "{" + values.map(String.init).joined(separator: ",") + "}"
        }
    }

    private static func quotedElement(_ text: String) -> String {
        var quoted = "\""
        for character in withoutNul(text).unicodeScalars {
            if character == "\"" || character == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }

    private static func withoutNul(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value != 0 }))
    }
}
