extension SettingTable {
    static let operation: [SettingDefinition] = [.httpHost, .httpPort, .logLevel, .logFormat]
    static let worker: [SettingDefinition] = [
        .batchRecords, .pollWait, .drainTimeout, .shutdownTimeout, .stuckAfter, .sinkBatchRecords, .sinkBatchWait,
        .retryMinimum, .retryMaximum,
    ]
}

extension SettingDefinition {
    package static let httpHost = SettingDefinition(
        "SIGHTLINE_HTTP_HOST", .text(.host), default: "127.0.0.1", programs: .services,
        help: "Listen address of /healthz, /readyz and /metrics; the container image sets 0.0.0.0.")
    package static let httpPort = SettingDefinition(
        "SIGHTLINE_HTTP_PORT", .integer(0...65_535, unit: "port"),
        default: .perProgram([
            .locationWorker: "9101", .etaWorker: "9102", .positionWorker: "9103", .historyWorker: "9104",
            .broadcastWorker: "9105", .riderGateway: "9106", .driverGateway: "9107", .pushWorker: "9108",
        ]),
        programs: .services, help: "Port of the endpoint; 0 selects a free port and logs it.")
    package static let logLevel = SettingDefinition(
        "LOG_LEVEL", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), default: "info",
        programs: .everything, help: "Minimum log level; debug and trace add the source of each line.")
    package static let logFormat = SettingDefinition(
        "LOG_FORMAT", .choice(["auto", "json", "text"]), default: "auto", programs: .everything,
        help: "Log format: auto is text on a terminal, JSON otherwise.")

    package static let batchRecords = SettingDefinition(
        "SIGHTLINE_BATCH_RECORDS", .integer(1...100_000, unit: "records"), default: "4096", programs: .processors,
        help: "Maximum records per batch; after each, the worker checks for rebalances, punctuations and shutdown.")
    package static let pollWait = SettingDefinition(
        "SIGHTLINE_POLL_WAIT_MS", .integer(0...1_000, unit: "ms"),
        default: .perProgram([
            .locationWorker: "50", .etaWorker: "50", .broadcastWorker: "50", .positionWorker: "100",
            .historyWorker: "100", .pushWorker: "100",
        ]),
        programs: .workers, help: "Maximum wait of a poll for the first record; bounds the delay of punctuations.")
    package static let drainTimeout = SettingDefinition(
        "SIGHTLINE_DRAIN_TIMEOUT_MS", .integer(100...19_000, unit: "ms"), default: "10000", programs: .processors,
        help: "Maximum wait for acknowledgements of outputs when partitions are revoked or the worker stops.")
    package static let shutdownTimeout = SettingDefinition(
        "SIGHTLINE_SHUTDOWN_TIMEOUT_MS", .integer(1_000...300_000, unit: "ms"), default: "20000", programs: .services,
        help: "Maximum time for a stop before the process exits; set it below the orchestrator's grace period.")
    package static let stuckAfter = SettingDefinition(
        "SIGHTLINE_STUCK_AFTER_MS", .integer(1_000...3_600_000, unit: "ms"), default: "60000", programs: .services,
        help: "/healthz answers 503 if the program's thread makes no progress for this long.")
    package static let sinkBatchRecords = SettingDefinition(
        "SIGHTLINE_SINK_BATCH_RECORDS", .integer(1...1_000_000, unit: "records"), default: "100000", programs: .sinks,
        help: "Maximum records per sink transaction; a fifth of this number is written without waiting for more.")
    package static let sinkBatchWait = SettingDefinition(
        "SIGHTLINE_SINK_BATCH_WAIT_MS", .integer(0...10_000, unit: "ms"), default: "20", programs: .sinks,
        help: "Maximum wait to fill a sink transaction.")
    package static let retryMinimum = SettingDefinition(
        "SIGHTLINE_RETRY_MIN_MS", .integer(1...60_000, unit: "ms"), default: "100", programs: .sinks,
        help: "First wait before a write to an unavailable store is repeated; doubles each time.")
    package static let retryMaximum = SettingDefinition(
        "SIGHTLINE_RETRY_MAX_MS", .integer(1...600_000, unit: "ms"), default: "5000", programs: .sinks,
        help: "Longest wait before a write to an unavailable store is repeated.")
}
