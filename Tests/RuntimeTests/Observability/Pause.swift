import Glibc

/// Pause of the calling thread.
enum Pause {
    static func milliseconds(_ count: UInt32) { usleep(count * 1000) }
}
