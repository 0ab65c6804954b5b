import Logging
import Synchronization

/// In-memory log: one string per line, with its level, message and sorted metadata.
package final class CapturedLog: Sendable {
    private let written = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { written.withLock { $0 } }

    /// Returns whether one line contains all of `parts`.
    package func has(_ parts: String...) -> Bool {
        lines.contains { line in parts.allSatisfy { line.contains($0) } }
    }

    /// Logger at level debug that writes to this log.
    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private func add(_ line: String) { written.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let merged = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            log.add("\(event.level): \(event.message) " + merged.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
        }
    }
}
