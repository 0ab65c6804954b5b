extension SettingTable {
    static let operation: [SettingDefinition] = [.httpHost, .httpPort, .logLevel, .logFormat]
    static let worker: [SettingDefinition] = [
        .batchRecords, .pollWait, .drainTimeout, .shutdownTimeout, .stuckAfter, .sinkBatchRecords,
        .sinkBatchWait,
        .retryMinimum, .retryMaximum, .writesPreviousStates,
    ]
}

extension SettingDefinition {
    package static let httpHost = SettingDefinition(
        "SIGHTLINE_HTTP_HOST", .text(.host), default: "127.0.0.1", programs: .services,
        help: "Where /healthz, /readyz and /metrics listen; the container image sets 0.0.0.0.")
    package static let httpPort = SettingDefinition(
        "SIGHTLINE_HTTP_PORT", .integer(0...65_535, unit: "port"),
        default: .perProgram([
            .locationWorker: "9101", .etaWorker: "9102", .positionWorker: "9103", .historyWorker: "9104",
            .broadcastWorker: "9105", .riderGateway: "9106", .driverGateway: "9107", .pushWorker: "9108",
        ]),
        programs: .services, help: "The endpoint's port; 0 takes any free one and logs it.")
    package static let logLevel = SettingDefinition(
        "LOG_LEVEL", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        default: "info",
        programs: .everything,
        help: "The lowest level that is logged; debug and trace name the source of each line.")
    package static let logFormat = SettingDefinition(
        "LOG_FORMAT", .choice(["auto", "json", "text"]), default: "auto", programs: .everything,
        help: "How log lines look; auto is text on a terminal and JSON elsewhere.")

    package static let batchRecords = SettingDefinition(
        "SIGHTLINE_BATCH_RECORDS", .integer(1...100_000, unit: "records"), default: "4096",
        programs: .stages,
        help: "Records that a stage processes at most before it checks for rebalances, punctuations and shutdown.")
    package static let pollWait = SettingDefinition(
        "SIGHTLINE_POLL_WAIT_MS", .integer(0...1_000, unit: "ms"),
        default: .perProgram([
            .locationWorker: "50", .etaWorker: "50", .broadcastWorker: "50", .positionWorker: "100",
            .historyWorker: "100", .pushWorker: "100",
        ]),
        programs: .workers,
        help: "How long a poll waits for the first record; bounds how late punctuations can be.")
    package static let drainTimeout = SettingDefinition(
        "SIGHTLINE_DRAIN_TIMEOUT_MS", .integer(100...19_000, unit: "ms"), default: "10000", programs: .stages,
        help: "How long partitions that are taken away wait for what is in flight.")
    package static let shutdownTimeout = SettingDefinition(
        "SIGHTLINE_SHUTDOWN_TIMEOUT_MS", .integer(1_000...300_000, unit: "ms"), default: "20000",
        programs: .services,
        help:
            "How long a stop may take before the process exits anyway; stay below the orchestrator's grace period."
    )
    package static let stuckAfter = SettingDefinition(
        "SIGHTLINE_STUCK_AFTER_MS", .integer(1_000...3_600_000, unit: "ms"), default: "60000",
        programs: .services,
        help: "A program whose thread makes no progress for this long answers 503 at /healthz.")
    package static let sinkBatchRecords = SettingDefinition(
        "SIGHTLINE_SINK_BATCH_RECORDS", .integer(1...1_000_000, unit: "records"), default: "100000",
        programs: .sinks,
        help: "Records that a sink writes in one transaction at most; from a fifth of that on it does not wait.")
    package static let sinkBatchWait = SettingDefinition(
        "SIGHTLINE_SINK_BATCH_WAIT_MS", .integer(0...10_000, unit: "ms"), default: "20", programs: .sinks,
        help: "How long a sink gathers records for a transaction that is not full.")
    package static let retryMinimum = SettingDefinition(
        "SIGHTLINE_RETRY_MIN_MS", .integer(1...60_000, unit: "ms"), default: "100", programs: .services,
        help: "The first wait before something that failed is tried again; doubles each time.")
    package static let retryMaximum = SettingDefinition(
        "SIGHTLINE_RETRY_MAX_MS", .integer(1...600_000, unit: "ms"), default: "5000",
        programs: .services,
        help: "The longest wait before something that failed is tried again.")
    package static let writesPreviousStates = SettingDefinition(
        "SIGHTLINE_WRITE_PREVIOUS_STATES", .flag, default: "false", programs: .stages.union([.commandLine]),
        help: "Whether states are written for the release before this one, so that an upgrade can be undone.")
}
