import Glibc
import Synchronization

/// Where finished log lines go; whole lines never mix, whatever the number of threads.
package final class LogOutput: Sendable {
    package static let standardError = LogOutput { line in
        writeAll(line, to: STDERR_FILENO)
    }

    private let write: Mutex<@Sendable (String) -> Void>

    /// - Parameter write: called with one line at a time, line feed included.
    package init(_ write: @escaping @Sendable (String) -> Void) { self.write = Mutex(write) }

    func emit(_ line: String) { write.withLock { $0(line) } }

    private static func writeAll(_ line: String, to descriptor: Int32) {
        var line = line
        line.withUTF8 { bytes in
            var done = 0
            while done < bytes.count {
                let count = Self.writeSome(
                    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[done...]), to: descriptor)
                // A log that cannot be written is no reason to stop: the line is lost.
                guard count > 0 else { return }
                done += count
            }
        }
    }

    private static func writeSome(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        while true {
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
