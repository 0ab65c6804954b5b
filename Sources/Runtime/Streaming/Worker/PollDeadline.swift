/// How long a member holds its partitions without polling its group.
///
/// After the longest time between two polls the group takes the partitions away. The client library says so with a poll
/// that may come too late, or not at all, so the worker looks at the time itself before it writes.
struct PollDeadline {
    /// Nine tenths of the longest time between two polls.
    let limit: Duration
    private var lastPoll: ContinuousClock.Instant

    init(maximumPollInterval: Duration, now: ContinuousClock.Instant = .now) {
        limit = maximumPollInterval * 9 / 10
        lastPoll = now
    }

    /// Whether the last poll was too long ago for the partitions to be this process's still.
    func hasExpired(at now: ContinuousClock.Instant = .now) -> Bool { lastPoll.duration(to: now) > limit }

    /// Notes a poll that has succeeded.
    /// - Returns: whether the lease had expired before it.
    mutating func renew(at now: ContinuousClock.Instant = .now) -> Bool {
        defer { lastPoll = now }
        return hasExpired(at: now)
    }
}
