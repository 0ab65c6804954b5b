import Glibc
import Runtime

/// A line on standard error that is overwritten while a command runs; shown only on a terminal.
struct ProgressLine {
    private let isShown: Bool
    private let clock = ContinuousClock()
    private var lastAt: ContinuousClock.Instant?
    private var width = 0

    init() { isShown = isatty(2) != 0 }

    /// Shows `text()`, at most five times per second.
    mutating func show(_ text: () -> String) {
        guard isShown else { return }
        let now = clock.now
        if let lastAt, lastAt.duration(to: now) < .milliseconds(200) { return }
        lastAt = now
        write(text())
    }

    mutating func clear() {
        guard isShown, width > 0 else { return }
        write("")
        width = 0
    }

    private mutating func write(_ text: String) {
        StandardError.write("\r\(text.padded(to: width))\r\(text)")
        width = text.count
    }
}
