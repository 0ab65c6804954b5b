/// How a stage worker runs; the defaults serve production, tests shorten the waits.
package struct ProcessorWorkerSettings: Sendable {
    /// Records processed at most before the loop checks for rebalances, punctuations and shutdown.
    package var maximumBatchRecords = 4096
    /// How long a poll waits for the first record, in milliseconds.
    package var pollWaitMilliseconds = 50
    /// Batches smaller than this are sent at once instead of lingering for company.
    ///
    /// A small batch means that the worker keeps up, and then latency counts for more than packing.
    package var promptBelowRecords = 256
    /// How long a record waits for company before it is sent, in milliseconds.
    package var lingerMilliseconds = 20
    /// After this long without a heartbeat the partitions go to other processes, in milliseconds.
    package var sessionTimeoutMilliseconds = 10_000
    /// After this long without a poll the group takes the partitions away, in milliseconds.
    package var maximumPollIntervalMilliseconds = 300_000
    /// How far silent stream time stays behind the clock, so that records on their way come before the punctuation, in
    /// milliseconds.
    package var punctuationGraceMilliseconds: Int64 = 1000
    /// How long a revocation or stop waits for acknowledgements before it lets go without them.
    package var drainDeadline = Duration.seconds(10)
    /// Outputs of the partitions that are worked on, that are with the producer and not acknowledged, at most.
    package var maximumUnacknowledgedRecords = 20_000
    /// The same bound in bytes of keys and values.
    package var maximumUnacknowledgedBytes = 32 << 20
    /// A partition whose outputs are not acknowledged for this long is parked: its inputs are paused until they are, and
    /// the worker goes on with the others.
    package var parkAfter = Duration.seconds(5)
    /// A worker is not ready while outputs of a partition have not been acknowledged for this long.
    package var notReadyAfter = Duration.seconds(30)
    /// The last records read of each side output to know its clock.
    package var sideOutputTailRecords = 1000
    /// Records of a replayed input kept in memory per partition, until their time comes among the other inputs'
    /// records.
    package var maximumHeldRecords = 20_000
    /// Time between commits of the advisory offsets, and between updates of gauges.
    package var commitInterval = Duration.seconds(1)
    /// A restore that lasts longer says this often how far it is.
    package var restoreProgressInterval = Duration.seconds(5)

    package init() {}

    /// How long one question to a broker may keep a restore from polling, in milliseconds.
    var lookUpTimeoutMilliseconds: Int { max(100, min(5000, maximumPollIntervalMilliseconds / 4)) }

    /// How long the worker waits for acknowledgements between polls: ``parkAfter``, but never so long that it loses its
    /// membership.
    var patience: Duration { min(parkAfter, .milliseconds(maximumPollIntervalMilliseconds / 4)) }

    /// What is wrong with the combination; empty when nothing is.
    package func problems() -> [String] {
        var problems: [String] = []
        if maximumBatchRecords < 1 { problems.append("maximumBatchRecords must be at least 1.") }
        if pollWaitMilliseconds < 0 { problems.append("pollWaitMilliseconds must not be negative.") }
        if maximumPollIntervalMilliseconds < sessionTimeoutMilliseconds {
            problems.append("maximumPollIntervalMilliseconds must not be below sessionTimeoutMilliseconds.")
        }
        if punctuationGraceMilliseconds < 0 { problems.append("punctuationGraceMilliseconds must not be negative.") }
        if drainDeadline >= .seconds(20) {
            problems.append("drainDeadline must be below the 20 s that a stop may take.")
        }
        if maximumUnacknowledgedRecords < 1 || maximumUnacknowledgedBytes < 1024 {
            problems.append("maximumUnacknowledgedRecords must be at least 1, and the bytes at least 1024.")
        }
        if sideOutputTailRecords < 1 { problems.append("sideOutputTailRecords must be at least 1.") }
        return problems
    }
}
