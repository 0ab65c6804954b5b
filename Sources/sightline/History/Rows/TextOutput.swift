import ArgumentParser
import Glibc
import Recordings

/// Standard output with a buffer.
///
/// A reader that has had enough (`| head`) ends the command quietly.
final class TextOutput {
    private static let capacity = 1 << 16
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32 = 1) {
        self.descriptor = descriptor
        buffer.reserveCapacity(Self.capacity + 4096)
        // A closed pipe is then an error of write(2) and not a signal.
        signal(SIGPIPE, SIG_IGN)
    }

    func append(_ text: String) { buffer.append(contentsOf: text.utf8) }
    func append(_ byte: UInt8) { buffer.append(byte) }
    func append(_ bytes: UnsafeRawBufferPointer) { buffer.append(contentsOf: bytes) }

    /// Writes what has gathered once that is worth it.
    /// - Throws: a quiet end of the command when the reader has closed the pipe, else what the system says.
    func flushIfFull() throws { if buffer.count >= Self.capacity { try flush() } }

    /// Writes what has gathered.
    /// - Throws: as ``flushIfFull()``.
    func flush() throws {
        try buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EPIPE {
                    throw ExitCode.success
                } else if errno != EINTR {
                    throw InputError("Standard output cannot be written: \(String(cString: strerror(errno))).")
                }
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
