/// How a worker's loop runs.
package struct WorkerSettings: Sendable {
    /// Records that a stage processes at most before it checks for rebalances, punctuations and shutdown.
    package var batchRecords: Int
    /// How long a poll waits for the first record.
    package var pollWait: Duration
    /// How long partitions that are taken away wait for what is in flight.
    package var drainTimeout: Duration
    /// How long a stop may take before the process exits anyway.
    package var shutdownTimeout: Duration
    /// Without progress for this long, the worker is not alive.
    package var stuckAfter: Duration
    /// Records that a sink writes in one transaction, at most.
    package var sinkBatchRecords: Int
    /// How long a sink gathers records for a transaction that is not full.
    package var sinkBatchWait: Duration
    /// First and longest wait before something that failed is tried again.
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
        // The thread makes no progress while it waits to try again.
        Self.check(retryMaximum, isBelow: stuckAfter, .retryMaximum, .stuckAfter, &reader)
        // A sink that waits for its store must poll in time to stay in its group, with room for the write itself.
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
        // The other one of a setting that this program does not read is a default that cannot be changed.
        guard smaller >= larger, smallerSetting.programs.contains(reader.program) else { return }
        reader.report(
            [smallerSetting.key, largerSetting.key],
            "\(smallerSetting.key)=\(smaller.wholeMilliseconds): must be below \(largerSetting.key), "
                + "which is \(larger.wholeMilliseconds).")
    }
}
