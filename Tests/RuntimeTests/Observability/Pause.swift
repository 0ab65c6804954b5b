import Glibc

/// Pauses the calling thread between sends.
enum Pause {
    static func milliseconds(_ count: UInt32) { usleep(count * 1000) }
}
