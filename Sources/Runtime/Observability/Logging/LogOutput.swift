import Synchronization

/// Where finished log lines go; whole lines never mix, whatever the number of threads.
package final class LogOutput: Sendable {
    package static let standardError = LogOutput(StandardError.write)

    private let write: Mutex<@Sendable (String) -> Void>

    /// - Parameter write: called with one line at a time, line feed included.
    package init(_ write: @escaping @Sendable (String) -> Void) { self.write = Mutex(write) }

    func emit(_ line: String) { write.withLock { $0(line) } }
}
