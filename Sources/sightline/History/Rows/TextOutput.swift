import ArgumentParser
import Glibc
import Recordings

/// Buffered standard output.
///
/// If the reader closes the pipe (`| head`), the command ends with exit code 0.
final class TextOutput {
    private static let capacity = 1 << 16
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32 = 1) {
        self.descriptor = descriptor
        buffer.reserveCapacity(Self.capacity + 4096)
        // write(2) then reports a closed pipe as an error.
        signal(SIGPIPE, SIG_IGN)
    }

    func append(_ text: String) { buffer.append(contentsOf: text.utf8) }
    func append(_ byte: UInt8) { buffer.append(byte) }
    func append(_ bytes: UnsafeRawBufferPointer) { buffer.append(contentsOf: bytes) }

    /// Writes the buffer if it is full.
    /// - Throws: `ExitCode.success` if the reader has closed the pipe, ``InputError`` for other errors.
    func flushIfFull() throws { if buffer.count >= Self.capacity { try flush() } }

    /// Writes the buffer.
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
                    throw InputError("Cannot write standard output: \(String(cString: strerror(errno))).")
                }
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
