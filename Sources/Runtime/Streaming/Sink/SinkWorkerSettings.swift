/// How a sink worker runs; the defaults serve production, tests shorten the waits.
package struct SinkWorkerSettings: Sendable {
    /// Records written in one transaction, at most.
    ///
    /// A backlog takes them, live traffic what there is. The more, the less of the time goes to beginning and ending
    /// transactions, and the more updates of a driver are one for Redis; the fewer, the sooner partitions change hands.
    package var maximumBatchRecords = 100_000
    /// Records fetched ahead, in KiB: bounds the bytes of a batch.
    package var maximumQueuedKibibytes = 32_768
    /// How long the first record of a transaction waits for company, in milliseconds.
    package var maximumLingerMilliseconds: Int64 = 20
    /// How long a poll waits for the first record, in milliseconds.
    package var pollWaitMilliseconds = 100
    /// After this long without a heartbeat the partitions go to other processes, in milliseconds.
    package var sessionTimeoutMilliseconds = 10_000
    /// After this long without a poll the group takes the partitions away, in milliseconds.
    package var maximumPollIntervalMilliseconds = 300_000
    /// The first wait after a failed write; it doubles from there.
    package var shortestRetry = Duration.milliseconds(100)
    /// The longest wait after a failed write.
    package var longestRetry = Duration.seconds(5)
    /// A store that is away for longer has its partitions paused, so that the worker can poll and stay in its group.
    ///
    /// Before that the worker merely stops polling: a pause throws away what was fetched.
    package var pauseAfter = Duration.seconds(5)
    /// Time between calls of ``Sink/maintain(now:)``.
    package var maintenanceInterval = Duration.seconds(60)
    /// Time between commits of the advisory offsets, and between updates of gauges.
    package var commitInterval = Duration.seconds(1)

    package init() {}

    /// A batch of this many records is written without waiting for more.
    var fullEnoughRecords: Int { max(1, maximumBatchRecords / 5) }

    /// What is wrong with the combination; empty when nothing is.
    package func problems() -> [String] {
        var problems: [String] = []
        if maximumBatchRecords < 1 { problems.append("maximumBatchRecords must be at least 1.") }
        if maximumLingerMilliseconds < 0 { problems.append("maximumLingerMilliseconds must not be negative.") }
        if shortestRetry > longestRetry { problems.append("shortestRetry must not exceed longestRetry.") }
        if (pauseAfter + longestRetry) * 2 > .milliseconds(maximumPollIntervalMilliseconds) {
            problems.append("pauseAfter and longestRetry must fit into half of maximumPollIntervalMilliseconds.")
        }
        return problems
    }
}
