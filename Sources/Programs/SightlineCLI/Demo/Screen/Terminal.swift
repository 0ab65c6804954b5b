import Glibc

/// What standard output is: a terminal of a size, with or without colours, or a pipe.
struct Terminal {
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    /// Whether lines can be written over; not where `TERM` is `dumb`.
    let isInteractive: Bool
    /// `false` where `NO_COLOR` is set to anything (https://no-color.org).
    let hasColor: Bool

    init(environment: [String: String]) {
        isInteractive = isatty(1) != 0 && environment["TERM"] != "dumb"
        hasColor = isInteractive && Self.allowsColor(environment)
    }

    static func allowsColor(_ environment: [String: String]) -> Bool { (environment["NO_COLOR"] ?? "").isEmpty }

    /// The size now; 80 by 24 where the terminal does not say.
    var size: Size {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes lines, each with its end.
    func write(_ lines: [StyledLine]) {
        write(lines.map { $0.text(hasColor: hasColor) + "\n" }.joined())
    }

    func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
