/// Error that the partitions are or will be assigned to another process, so the loop drops all work on them.
struct PartitionsLost: Error {
    enum Cause: String {
        case group = "Group session ended and partitions lost"
        case sleep = "Process was suspended for most of its session timeout"
        case poll = "Maximum poll interval nearly exceeded"
        case undelivered = "Partitions revoked before all outputs were acknowledged"
    }

    var cause: Cause
}

/// Deadline for the next poll, after which the group may revoke the partitions.
///
/// librdkafka reports an exceeded poll interval late or not at all, so the worker checks the time before it writes.
struct PollDeadline {
    /// 90 % of the maximum poll interval.
    let limit: Duration
    private var lastPoll: ContinuousClock.Instant

    init(maximumPollInterval: Duration, now: ContinuousClock.Instant = .now) {
        limit = maximumPollInterval * 9 / 10
        lastPoll = now
    }

    /// Returns whether the partitions may have been revoked since the last poll.
    func hasExpired(at now: ContinuousClock.Instant = .now) -> Bool { lastPoll.duration(to: now) > limit }

    /// Restarts the deadline after a successful poll.
    /// - Returns: whether the deadline had expired.
    mutating func renew(at now: ContinuousClock.Instant = .now) -> Bool {
        defer { lastPoll = now }
        return hasExpired(at: now)
    }
}
