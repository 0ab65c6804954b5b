/// A line of text for a terminal, in coloured parts; its width does not count escape sequences.
struct StyledLine: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// A colour by its meaning; the raw value is the code of the escape sequence.
    enum Ink: String, Sendable {
        case plain = "", faint = "90", strong = "1", good = "32", warning = "33", bad = "1;31", accent = "1;36"
    }

    private struct Part: Sendable, Equatable {
        var text: String
        var ink: Ink
    }

    private var parts: [Part] = []

    init(_ text: String = "", _ ink: Ink = .plain) { append(text, ink) }
    init(stringLiteral text: String) { append(text) }

    /// The number of terminal columns; one per character.
    var width: Int { parts.reduce(0) { $0 + $1.text.count } }

    mutating func append(_ text: String, _ ink: Ink = .plain) {
        guard !text.isEmpty else { return }
        if let last = parts.indices.last, parts[last].ink == ink {
            parts[last].text += text
        } else {
            parts.append(Part(text: text, ink: ink))
        }
    }

    static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        var sum = left
        for part in right.parts { sum.append(part.text, part.ink) }
        return sum
    }

    /// Returns the line, filled with blanks up to `width`.
    func padded(to width: Int) -> StyledLine { self + StyledLine(.blanks(width - self.width)) }

    /// Returns the line, cut to `width` columns with an ellipsis at the end if it is longer.
    func clipped(to width: Int) -> StyledLine {
        guard self.width > width else { return self }
        var clipped = StyledLine()
        var remaining = max(0, width - 1)
        for part in parts where remaining > 0 {
            clipped.append(String(part.text.prefix(remaining)), part.ink)
            remaining -= min(remaining, part.text.count)
        }
        if width > 0 { clipped.append("…") }
        return clipped
    }

    func text(hasColor: Bool) -> String {
        parts.map { part in
            hasColor && part.ink != .plain ? "\u{1b}[\(part.ink.rawValue)m\(part.text)\u{1b}[0m" : part.text
        }.joined()
    }
}

extension String {
    static func blanks(_ count: Int) -> String { String(repeating: " ", count: Swift.max(0, count)) }

    /// Returns the text, filled with blanks up to `width`.
    func padded(to width: Int) -> String { self + .blanks(width - count) }
}
