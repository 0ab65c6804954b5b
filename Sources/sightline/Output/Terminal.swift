import Foundation

/// What standard output is: how wide, whether lines can be written over, and whether it shows colours.
struct Terminal {
    enum Color: Int {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
    }

    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    /// Characters of a line; `nil` where standard output is a file or a pipe.
    let width: Int?
    let hasColors: Bool
    /// Whether lines can be written over; not where `TERM` is `dumb`.
    let isInteractive: Bool

    init(width: Int?, hasColors: Bool, isInteractive: Bool = false) {
        self.width = width
        self.hasColors = hasColors
        self.isInteractive = isInteractive
    }

    /// Standard output as it is.
    static func current(environment: [String: String] = ProcessInfo.processInfo.environment) -> Terminal {
        guard isatty(1) != 0 else { return Terminal(width: nil, hasColors: false) }
        let width =
            windowSize.flatMap { $0.columns > 0 ? $0.columns : nil } ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
        return Terminal(
            width: max(20, width), hasColors: wantsColors(environment), isInteractive: environment["TERM"] != "dumb")
    }

    /// Whether a terminal is to be coloured: not where `NO_COLOR` is set to anything (no-color.org), nor on one that
    /// says that it cannot.
    static func wantsColors(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// The size now, which may change while a program runs; 80 by 24 where the terminal does not say.
    var size: Size {
        guard let size = Self.windowSize, size.columns > 0, size.rows > 0 else { return Size(columns: 80, rows: 24) }
        return size
    }

    /// Either number is 0 where the terminal does not know it.
    private static var windowSize: Size? {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    func paint(_ text: String, _ color: Color?) -> String {
        guard hasColors, let color, !text.isEmpty else { return text }
        return "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m"
    }

    /// Writes lines, each with its end.
    func write(_ lines: [StyledLine]) {
        write(lines.map { $0.text(hasColor: hasColors) + "\n" }.joined())
    }

    func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
