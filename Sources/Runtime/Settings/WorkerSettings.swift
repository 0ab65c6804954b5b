/// Batch sizes, waits and timeouts of a worker.
package struct WorkerSettings: Sendable {
    /// Maximum records per batch between checks for rebalances, punctuations and shutdown.
    package var batchRecords: Int
    /// Maximum wait of a poll for the first record.
    package var pollWait: Duration
    /// Maximum wait for in-flight outputs of revoked partitions.
    package var drainTimeout: Duration
    /// Maximum time for a stop before the process exits.
    package var shutdownTimeout: Duration
    /// Time without progress after which the worker is reported as not alive.
    package var stuckAfter: Duration
    /// Maximum records per sink transaction.
    package var sinkBatchRecords: Int
    /// Maximum wait to fill a sink transaction.
    package var sinkBatchWait: Duration
    /// First and longest wait before a retry.
    package var retryMinimum: Duration
    package var retryMaximum: Duration

    init(_ reader: inout SettingsReader, maximumPollIntervalMilliseconds: Int) {
        batchRecords = reader.integer(.batchRecords)
        pollWait = reader.duration(.pollWait)
        drainTimeout = reader.duration(.drainTimeout)
        shutdownTimeout = reader.duration(.shutdownTimeout)
        stuckAfter = reader.duration(.stuckAfter)
        sinkBatchRecords = reader.integer(.sinkBatchRecords)
        sinkBatchWait = reader.duration(.sinkBatchWait)
        retryMinimum = reader.duration(.retryMinimum)
        retryMaximum = reader.duration(.retryMaximum)
        Self.check(drainTimeout, isBelow: shutdownTimeout, .drainTimeout, .shutdownTimeout, &reader)
        Self.check(pollWait, isBelow: stuckAfter, .pollWait, .stuckAfter, &reader)
        // The thread makes no progress while it waits for a retry.
        Self.check(retryMaximum, isBelow: stuckAfter, .retryMaximum, .stuckAfter, &reader)
        // A sink that waits for its store must poll in time to stay in its group, and the write takes time as well.
        if retryMaximum * 4 > .milliseconds(maximumPollIntervalMilliseconds),
            SettingDefinition.kafkaMaximumPollInterval.programs.contains(reader.program)
        {
            reader.report(
                [SettingDefinition.retryMaximum.key, SettingDefinition.kafkaMaximumPollInterval.key],
                "SIGHTLINE_RETRY_MAX_MS=\(retryMaximum.wholeMilliseconds): must be at most a quarter of "
                    + "KAFKA_MAX_POLL_INTERVAL_MS, which is \(maximumPollIntervalMilliseconds).")
        }
        if retryMinimum > retryMaximum {
            reader.report(
                [SettingDefinition.retryMinimum.key, SettingDefinition.retryMaximum.key],
                "SIGHTLINE_RETRY_MIN_MS=\(retryMinimum.wholeMilliseconds): must not be above SIGHTLINE_RETRY_MAX_MS, "
                    + "which is \(retryMaximum.wholeMilliseconds).")
        }
    }

    private static func check(
        _ smaller: Duration, isBelow larger: Duration, _ smallerSetting: SettingDefinition,
        _ largerSetting: SettingDefinition, _ reader: inout SettingsReader
    ) {
        // For a setting that this program does not read, the other value is a default that cannot be changed.
        guard smaller >= larger, smallerSetting.programs.contains(reader.program) else { return }
        reader.report(
            [smallerSetting.key, largerSetting.key],
            "\(smallerSetting.key)=\(smaller.wholeMilliseconds): must be below \(largerSetting.key), "
                + "which is \(larger.wholeMilliseconds).")
    }
}
