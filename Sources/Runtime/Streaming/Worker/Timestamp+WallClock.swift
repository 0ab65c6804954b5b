import Glibc
import Support

extension Timestamp {
    /// The machine's clock: for latency metrics and maintenance only, never for what a stage sees.
    static var wallClock: Timestamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    }
}
