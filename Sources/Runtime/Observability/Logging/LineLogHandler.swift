import Glibc
import Logging
import Synchronization

/// A swift-log backend that writes one line per event, as JSON or as text.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let isJSON: Bool
    private let output: LogOutput
    private let clock: @Sendable () -> Int64

    /// Creates a handler.
    ///
    /// `label`: the logger's name. `level`: minimum level; ``Logger/Level/debug`` and below add the source of each
    /// line. `format`: ``LogFormat/auto`` is resolved here. `clock`: milliseconds since the Unix epoch.
    package init(
        label: String, level: Logger.Level, format: LogFormat, output: LogOutput = .standardError,
        clock: @escaping @Sendable () -> Int64 = WallClock.milliseconds
    ) {
        self.label = label
        logLevel = level
        isJSON = format.resolved == .json
        self.output = output
        self.clock = clock
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var merged = metadata
        if let provided = metadataProvider?.get() { merged.merge(provided) { _, new in new } }
        if let own = event.metadata { merged.merge(own) { _, new in new } }
        if let error = event.error { merged[LogKey.error.rawValue] = "\(error)" }
        let line = LogLine(
            milliseconds: clock(), level: event.level, logger: label, message: event.message.description,
            metadata: merged, source: logLevel <= .debug ? "\(event.file):\(event.line)" : nil)
        output.emit((isJSON ? line.json : line.text) + "\n")
    }
}

/// Format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object per line.
    case json
    /// One readable line, for terminals.
    case text
    /// ``text`` if standard error is a terminal, else ``json``.
    case auto

    /// The format with ``auto`` resolved.
    package var resolved: LogFormat {
        switch self {
        case .json, .text: self
        case .auto: isatty(STDERR_FILENO) == 1 ? .text : .json
        }
    }
}

/// Destination of log lines; lines of several threads never mix.
package final class LogOutput: Sendable {
    package static let standardError = LogOutput(StandardError.write)

    private let write: Mutex<@Sendable (String) -> Void>

    /// - Parameter write: called with one line, including its line feed.
    package init(_ write: @escaping @Sendable (String) -> Void) { self.write = Mutex(write) }

    func emit(_ line: String) { write.withLock { $0(line) } }
}

/// Standard error, unbuffered.
package enum StandardError {
    /// Writes `text`; ignores errors.
    package static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
