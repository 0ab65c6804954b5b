/// Settings of a processor's worker; tests shorten the waits.
package struct ProcessorWorkerSettings: Sendable {
    /// Maximum records per batch; after each, the worker checks for rebalances, punctuations and shutdown.
    package var maximumBatchRecords = 4096
    /// Maximum wait of a poll for the first record, in milliseconds.
    package var pollWaitMilliseconds = 50
    /// Number of records below which a batch's outputs are sent at once, without linger.
    ///
    /// Without a backlog, latency matters more than the size of requests.
    package var promptBelowRecords = 256
    /// Wait of the producer for more records, in milliseconds (`linger.ms`).
    package var lingerMilliseconds = 20
    /// Time without a heartbeat after which the worker loses its partitions, in milliseconds.
    package var sessionTimeoutMilliseconds = 10_000
    /// Time without a poll after which the worker loses its partitions, in milliseconds.
    package var maximumPollIntervalMilliseconds = 300_000
    /// Delay of stream time while no records arrive, in milliseconds, for records in flight.
    package var punctuationGraceMilliseconds: Int64 = 1000
    /// Maximum wait for acknowledgements at a revocation or stop.
    package var drainDeadline = Duration.seconds(10)
    /// Maximum unacknowledged outputs of partitions that are not parked.
    package var maximumUnacknowledgedRecords = 20_000
    /// Maximum size of unacknowledged outputs of partitions that are not parked, in bytes of keys and values.
    package var maximumUnacknowledgedBytes = 32 << 20
    /// Time without acknowledgement after which a partition is parked, which pauses its inputs.
    package var parkAfter = Duration.seconds(5)
    /// Time without acknowledgement after which the worker is not ready.
    package var notReadyAfter = Duration.seconds(30)
    /// Minimum records read from the end of each output, for a side output's watermark or the changelog's newest time.
    package var sideOutputTailRecords = 1000
    /// Maximum deferred records of a replayed input per partition.
    package var maximumDeferredRecords = 20_000
    /// Interval of offset commits and gauge updates.
    package var commitInterval = Duration.seconds(1)
    /// Interval of progress log lines of a restore.
    package var restoreProgressInterval = Duration.seconds(5)

    package init() {}

    /// Timeout of a restore's request to a broker, during which the worker does not poll, in milliseconds.
    var lookUpTimeoutMilliseconds: Int { max(100, min(5000, maximumPollIntervalMilliseconds / 4)) }

    /// ``parkAfter``, up to a quarter of the poll interval, because the worker may wait this long between polls.
    var parkDelay: Duration { min(parkAfter, .milliseconds(maximumPollIntervalMilliseconds / 4)) }

    /// Stops the program if a value or combination is invalid.
    func validate() {
        precondition(maximumBatchRecords >= 1, "maximumBatchRecords must be at least 1.")
        precondition(pollWaitMilliseconds >= 0, "pollWaitMilliseconds must not be negative.")
        precondition(
            maximumPollIntervalMilliseconds >= sessionTimeoutMilliseconds,
            "maximumPollIntervalMilliseconds must not be below sessionTimeoutMilliseconds.")
        precondition(punctuationGraceMilliseconds >= 0, "punctuationGraceMilliseconds must not be negative.")
        precondition(drainDeadline < .seconds(20), "drainDeadline must be below 20 s, the limit of a stop.")
        precondition(maximumUnacknowledgedRecords >= 1, "maximumUnacknowledgedRecords must be at least 1.")
        precondition(maximumUnacknowledgedBytes >= 1024, "maximumUnacknowledgedBytes must be at least 1024.")
        precondition(sideOutputTailRecords >= 1, "sideOutputTailRecords must be at least 1.")
    }
}
