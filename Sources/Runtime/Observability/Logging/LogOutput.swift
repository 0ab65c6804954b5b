import Synchronization

/// Destination of log lines; lines of several threads never mix.
package final class LogOutput: Sendable {
    package static let standardError = LogOutput(StandardError.write)

    private let write: Mutex<@Sendable (String) -> Void>

    /// - Parameter write: called with one line, including its line feed.
    package init(_ write: @escaping @Sendable (String) -> Void) { self.write = Mutex(write) }

    func emit(_ line: String) { write.withLock { $0(line) } }
}
