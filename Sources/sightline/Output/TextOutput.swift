import ArgumentParser
import Glibc
import Recordings
import Support

/// Buffered output to standard output or a file.
///
/// If the reader of standard output closes the pipe (`| head`), the command ends with exit code 0.
final class TextOutput {
    private static let capacity = 1 << 16
    private let name: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Creates or truncates a file; `-` is standard output.
    init(path: String = "-") throws {
        name = path == "-" ? "standard output" : path
        descriptor = path == "-" ? 1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw failure }
        buffer.reserveCapacity(Self.capacity + 4096)
        // write(2) then reports a closed pipe as an error.
        signal(SIGPIPE, SIG_IGN)
    }

    var isStandardOutput: Bool { descriptor == 1 }

    // A command that ends with an error still writes the previous lines.
    deinit {
        try? flush()
        if descriptor > 1 { close(descriptor) }
    }

    func append(_ text: String) { buffer.append(contentsOf: text.utf8) }
    func append(_ byte: UInt8) { buffer.append(byte) }
    func append(_ bytes: UnsafeRawBufferPointer) { buffer.append(contentsOf: bytes) }

    /// Writes a line; `null` for `nil` (a tombstone).
    func write(line: ByteSlice?) throws {
        if let line { append(line.buffer) } else { append("null") }
        append(UInt8(ascii: "\n"))
        try flushIfFull()
    }

    /// Writes the buffer if it is full.
    /// - Throws: `ExitCode.success` if the reader has closed the pipe, ``InputError`` for other errors.
    func flushIfFull() throws { if buffer.count >= Self.capacity { try flush() } }

    /// Writes the buffer.
    /// - Throws: as ``flushIfFull()``.
    func flush() throws {
        try buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EPIPE {
                    throw ExitCode.success
                } else if errno != EINTR {
                    throw failure
                }
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private var failure: InputError { InputError("Cannot write \(name): \(String(cString: strerror(errno))).") }
}
