/// Settings of a sink's worker; tests shorten the waits.
package struct SinkWorkerSettings: Sendable {
    /// Maximum records per transaction; reached only with a backlog.
    ///
    /// Larger transactions have less overhead and combine more updates of a driver in Redis; smaller ones allow faster
    /// rebalances.
    package var maximumBatchRecords = 100_000
    /// Maximum size of prefetched records, in KiB.
    package var maximumQueuedKibibytes = 32_768
    /// Maximum wait to fill a transaction, in milliseconds.
    package var maximumLingerMilliseconds: Int64 = 20
    /// Maximum wait of a poll for the first record, in milliseconds.
    package var pollWaitMilliseconds = 100
    /// Time without a heartbeat after which the worker loses its partitions, in milliseconds.
    package var sessionTimeoutMilliseconds = 10_000
    /// Time without a poll after which the worker loses its partitions, in milliseconds.
    package var maximumPollIntervalMilliseconds = 300_000
    /// First wait after a failed write; doubles each time.
    package var shortestRetry = Duration.milliseconds(100)
    /// Longest wait after a failed write.
    package var longestRetry = Duration.seconds(5)
    /// Duration of a store outage after which the partitions are paused.
    ///
    /// With paused partitions the worker polls without receiving records, and so stays in the group. In shorter outages it
    /// does not poll, because a pause discards prefetched records.
    package var pauseAfter = Duration.seconds(5)
    /// Interval of ``Sink/maintain(now:)``.
    package var maintenanceInterval = Duration.seconds(60)
    /// Interval of offset commits and gauge updates.
    package var commitInterval = Duration.seconds(1)

    package init() {}

    /// Number of records from which a batch is written without waiting for more.
    var minimumRecordsWithoutWait: Int { max(1, maximumBatchRecords / 5) }

    /// Stops the program if a value or combination is invalid.
    func validate() {
        precondition(maximumBatchRecords >= 1, "maximumBatchRecords must be at least 1.")
        precondition(maximumLingerMilliseconds >= 0, "maximumLingerMilliseconds must be at least 0.")
        precondition(shortestRetry <= longestRetry, "shortestRetry must not exceed longestRetry.")
        precondition(
            (pauseAfter + longestRetry) * 2 <= .milliseconds(maximumPollIntervalMilliseconds),
            "pauseAfter plus longestRetry must be at most half of maximumPollIntervalMilliseconds.")
    }
}
