/// Assignment of an `UPDATE` of `sink_progress`: a column, and the expression of its new value.
///
/// Interprets the expressions instead of comparing the whole statement, so that a changed rule has its real effect.
struct ProgressAssignment {
    private indirect enum Expression {
        /// Column of the new values.
        case parameter(String)
        /// Column of the stored row.
        case stored(String)
        case literal(String)
        case nullif(Expression, Expression)
        case coalesce(Expression, Expression)

        func value(_ new: [String: String], _ stored: ProgressRow) -> String? {
            switch self {
            case .parameter(let column): return new[column]
            case .stored(let column): return stored[column]
            case .literal(let text): return text
            case .nullif(let first, let second):
                let value = first.value(new, stored)
                return value == second.value(new, stored) ? nil : value
            case .coalesce(let first, let second): return first.value(new, stored) ?? second.value(new, stored)
            }
        }
    }

    let column: String
    private let expression: Expression

    /// - Parameter text: an assignment such as `raw_event = nullif(n.raw_event, '')`; `nil` if it is not understood.
    init?(_ text: String) {
        guard let range = text.firstRange(of: " = ") else { return nil }
        column = String(text[..<range.lowerBound])
        guard let expression = Self.expression(String(text[range.upperBound...])) else { return nil }
        self.expression = expression
    }

    /// Computes the new value; `new` has the values of the parameters that are not null, by column.
    func value(_ new: [String: String], _ stored: ProgressRow) -> String? { expression.value(new, stored) }

    private static func expression(_ text: String) -> Expression? {
        for (name, make) in [("nullif(", Expression.nullif), ("coalesce(", Expression.coalesce)]
        where text.hasPrefix(name) && text.hasSuffix(")") {
            let arguments = split(String(text.dropFirst(name.count).dropLast()))
            guard arguments.count == 2, let first = expression(arguments[0]), let second = expression(arguments[1])
            else { return nil }
            return make(first, second)
        }
        if text.hasPrefix("n.") { return .parameter(String(text.dropFirst(2))) }
        if text.hasPrefix("c.") { return .stored(String(text.dropFirst(2))) }
        if text.hasPrefix("'"), text.hasSuffix("'"), text.count >= 2 {
            return .literal(String(text.dropFirst().dropLast()))
        }
        return Int64(text).map { .literal("\($0)") }
    }

    /// Splits a list at its commas outside of parentheses.
    static func split(_ list: String) -> [String] {
        var parts: [String] = [""]
        var depth = 0
        for character in list {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.map(\.trimmed)
    }
}
