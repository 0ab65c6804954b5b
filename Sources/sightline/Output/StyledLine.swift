/// A line of text for a terminal, in coloured parts; its width does not count escape sequences.
struct StyledLine: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// A colour of the terminal's palette, by its meaning.
    enum Ink: Sendable {
        case plain, faint, strong, good, bad, accent

        fileprivate var code: String {
            switch self {
            case .plain: ""
            case .faint: "90"
            case .strong: "1"
            case .good: "32"
            case .bad: "1;31"
            case .accent: "1;36"
            }
        }
    }

    struct Part: Sendable, Equatable {
        var text: String
        var ink: Ink
    }

    private(set) var parts: [Part] = []

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
    func padded(to width: Int) -> StyledLine {
        self + StyledLine(String(repeating: " ", count: max(0, width - self.width)))
    }

    /// Returns the line, cut to `width` columns with an ellipsis at the end if it is longer.
    func clipped(to width: Int) -> StyledLine {
        guard self.width > width else { return self }
        var clipped = StyledLine()
        var left = max(0, width - 1)
        for part in parts where left > 0 {
            clipped.append(String(part.text.prefix(left)), part.ink)
            left -= min(left, part.text.count)
        }
        if width > 0 { clipped.append("…") }
        return clipped
    }

    func text(hasColor: Bool) -> String {
        parts.map { part in
            hasColor && part.ink != .plain ? "\u{1b}[\(part.ink.code)m\(part.text)\u{1b}[0m" : part.text
        }.joined()
    }

    /// Breaks `text` into lines of at most `width` columns; longer words are clipped.
    static func wrapped(_ text: String, to width: Int, _ ink: Ink = .plain) -> [StyledLine] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { StyledLine($0, ink).clipped(to: width) }
    }

    /// Places two blocks side by side, the left one `leftWidth` columns wide.
    static func beside(_ left: [StyledLine], _ leftWidth: Int, _ right: [StyledLine]) -> [StyledLine] {
        (0..<max(left.count, right.count)).map { row in
            let first = row < left.count ? left[row].clipped(to: leftWidth) : StyledLine()
            return row < right.count ? first.padded(to: leftWidth) + right[row] : first
        }
    }
}
