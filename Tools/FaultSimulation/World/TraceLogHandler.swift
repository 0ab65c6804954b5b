import Logging

/// Log handler that adds the lines of a simulated process to the trace.
struct TraceLogHandler: LogHandler, @unchecked Sendable {
    private let process: String
    // Safe, because only one fiber, or the scheduler, runs at a time.
    private let trace: Trace
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(process: String, _ trace: Trace) {
        self.process = process
        self.trace = trace
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        trace.add("\(process) \(event.level): \(event.message) \(details.joined(separator: " "))")
    }
}
