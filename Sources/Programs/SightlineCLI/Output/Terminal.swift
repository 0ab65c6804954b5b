import Foundation

/// What standard output is: how wide, and whether it shows colours.
struct Terminal {
    enum Color: Int {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Characters of a line; `nil` where standard output is a file or a pipe.
    let width: Int?
    let hasColors: Bool

    init(width: Int?, hasColors: Bool) {
        self.width = width
        self.hasColors = hasColors
    }

    /// Standard output as it is.
    static func current(environment: [String: String] = ProcessInfo.processInfo.environment) -> Terminal {
        guard isatty(1) != 0 else { return Terminal(width: nil, hasColors: false) }
        var size = winsize()
        let isKnown = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let width = isKnown ? Int(size.ws_col) : environment["COLUMNS"].flatMap { Int($0) } ?? 80
        return Terminal(width: max(20, width), hasColors: wantsColors(environment))
    }

    /// Whether a terminal is to be coloured: not where `NO_COLOR` is set to anything (no-color.org), nor on one that
    /// says that it cannot.
    static func wantsColors(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func paint(_ text: String, _ color: Color?) -> String {
        guard hasColors, let color, !text.isEmpty else { return text }
        return "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m"
    }
}
