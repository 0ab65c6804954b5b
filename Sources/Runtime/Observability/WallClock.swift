import Glibc
import Support

/// The system's wall clock; the pure modules (docs/architecture.md) never read it.
package enum WallClock {
    /// Milliseconds since the Unix epoch.
    package static let milliseconds: @Sendable () -> Int64 = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Formats a time as RFC 3339 in UTC with milliseconds, such as `2026-03-14T18:32:15.123Z`.
    package static func text(_ milliseconds: Int64) -> String { TimeText.text(milliseconds: milliseconds) }
}
