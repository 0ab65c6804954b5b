import Glibc

/// Format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object per line.
    case json
    /// One readable line, for terminals.
    case text
    /// ``text`` if standard error is a terminal, else ``json``.
    case auto

    /// The format with ``auto`` resolved.
    package var resolved: LogFormat {
        switch self {
        case .json, .text: self
        case .auto: isatty(STDERR_FILENO) == 1 ? .text : .json
        }
    }
}
