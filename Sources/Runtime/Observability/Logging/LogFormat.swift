import Glibc

/// How log lines look.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object per line, for machines.
    case json
    /// One readable line, for people at a terminal.
    case text
    /// ``text`` when standard error is a terminal, else ``json``.
    case auto

    /// The format to use, with ``auto`` decided.
    package var resolved: LogFormat {
        switch self {
        case .json, .text: self
        case .auto: isatty(STDERR_FILENO) == 1 ? .text : .json
        }
    }
}
