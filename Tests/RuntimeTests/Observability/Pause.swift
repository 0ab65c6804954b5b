import Glibc

/// A pause of the calling thread: the pace at which a test sends.
enum Pause {
    static func milliseconds(_ count: UInt32) { usleep(count * 1000) }
}
