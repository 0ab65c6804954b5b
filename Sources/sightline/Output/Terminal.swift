import Foundation

/// Properties of standard output: width, colours, and whether lines can be overwritten.
struct Terminal {
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    /// Characters per line; `nil` if standard output is a file or a pipe.
    let width: Int?
    let hasColors: Bool
    /// Whether lines can be overwritten; `false` if `TERM` is `dumb`.
    var isInteractive = false

    /// Inspects standard output.
    static func current(environment: [String: String] = ProcessInfo.processInfo.environment) -> Terminal {
        guard isatty(1) != 0 else { return Terminal(width: nil, hasColors: false) }
        let width =
            windowSize.flatMap { $0.columns > 0 ? $0.columns : nil } ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
        return Terminal(
            width: max(20, width), hasColors: usesColors(environment), isInteractive: environment["TERM"] != "dumb")
    }

    /// Returns whether to use colours: `false` if `NO_COLOR` is set (no-color.org) or `TERM` is `dumb`.
    static func usesColors(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// The current size, which can change while a program runs; 80 by 24 if unknown.
    var size: Size {
        guard let size = Self.windowSize, size.columns > 0, size.rows > 0 else { return Size(columns: 80, rows: 24) }
        return size
    }

    /// The size of the window, `nil` without one; a number is 0 if the terminal does not report it.
    private static var windowSize: Size? {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    func paint(_ text: String, _ ink: StyledLine.Ink) -> String { StyledLine(text, ink).text(hasColor: hasColors) }

    func write(_ lines: [StyledLine]) {
        write(lines.map { $0.text(hasColor: hasColors) + "\n" }.joined())
    }

    func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
