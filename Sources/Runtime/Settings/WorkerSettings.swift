import Logging

/// Batch sizes, waits and timeouts of a worker.
package struct WorkerSettings: Sendable {
    package var processor = ProcessorWorkerSettings()
    package var sink = SinkWorkerSettings()
    /// Maximum time for a stop before the process exits.
    package var shutdownTimeout: Duration
    /// Time without progress after which the worker is reported as not alive.
    package var stuckAfter: Duration

    init(_ reader: inout SettingsReader, _ kafka: KafkaSettings) {
        processor.maximumBatchRecords = reader.integer(.batchRecords)
        let pollWait = reader.duration(.pollWait)
        let drainTimeout = reader.duration(.drainTimeout)
        shutdownTimeout = reader.duration(.shutdownTimeout)
        stuckAfter = reader.duration(.stuckAfter)
        sink.maximumBatchRecords = reader.integer(.sinkBatchRecords)
        sink.maximumLingerMilliseconds = Int64(reader.integer(.sinkBatchWait))
        let retryMinimum = reader.duration(.retryMinimum)
        let retryMaximum = reader.duration(.retryMaximum)
        processor.pollWaitMilliseconds = Int(pollWait.wholeMilliseconds)
        processor.lingerMilliseconds = kafka.lingerMilliseconds
        processor.sessionTimeoutMilliseconds = kafka.sessionTimeoutMilliseconds
        processor.maximumPollIntervalMilliseconds = kafka.maximumPollIntervalMilliseconds
        processor.drainDeadline = drainTimeout
        sink.pollWaitMilliseconds = processor.pollWaitMilliseconds
        sink.sessionTimeoutMilliseconds = kafka.sessionTimeoutMilliseconds
        sink.maximumPollIntervalMilliseconds = kafka.maximumPollIntervalMilliseconds
        sink.shortestRetry = retryMinimum
        sink.longestRetry = retryMaximum
        reader.require(
            drainTimeout < shutdownTimeout, .drainTimeout, drainTimeout, .below, .shutdownTimeout, shutdownTimeout)
        reader.require(pollWait < stuckAfter, .pollWait, pollWait, .below, .stuckAfter, stuckAfter)
        // The thread makes no progress while it waits for a retry.
        reader.require(retryMaximum < stuckAfter, .retryMaximum, retryMaximum, .below, .stuckAfter, stuckAfter)
        // A sink that waits for its store must poll in time to stay in its group, and the write also takes time.
        let pollInterval = Duration.milliseconds(kafka.maximumPollIntervalMilliseconds)
        reader.require(
            retryMaximum * 4 <= pollInterval, .retryMaximum, retryMaximum, .atMostQuarter, .kafkaMaximumPollInterval,
            pollInterval)
        reader.require(
            retryMinimum <= retryMaximum, .retryMinimum, retryMinimum, .notAbove, .retryMaximum, retryMaximum)
    }
}

/// Listen address of the health and metrics endpoint.
package struct EndpointSettings: Sendable {
    package var host: String
    /// 0 selects a free port.
    package var port: Int

    init(_ reader: inout SettingsReader) {
        host = reader.text(.httpHost)
        port = reader.integer(.httpPort)
    }
}

/// Level and format of the log.
package struct LogSettings: Sendable {
    package var level: Logger.Level
    package var format: LogFormat

    init(_ reader: inout SettingsReader) {
        level = reader.choice(.logLevel, as: Logger.Level.self)
        format = reader.choice(.logFormat, as: LogFormat.self)
    }
}
