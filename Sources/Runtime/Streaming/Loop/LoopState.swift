/// Readiness of a worker's loop, and times of its periodic work.
struct LoopState {
    private let commitInterval: Duration
    private let maintenanceInterval: Duration?
    private var nextCommit: ContinuousClock.Instant
    private var nextMaintenance: ContinuousClock.Instant?
    /// Whether the group has assigned partitions since the worker joined it.
    var hasJoined = false
    var isStopping = false
    /// Reason why the store is unavailable; `nil` if it is available.
    var storeProblem: String?
    /// Reason why the brokers are unusable, such as a rejected login; `nil` if they are usable.
    var brokerProblem: String?
    /// Description of outputs that have been unacknowledged for too long; `nil` for none.
    var outputProblem: String?
    /// Progress of the first restore, as one sentence; `nil` for none.
    var restoreProgress: String?

    init(commitInterval: Duration, maintenanceInterval: Duration?, now: ContinuousClock.Instant = .now) {
        self.commitInterval = commitInterval
        self.maintenanceInterval = maintenanceInterval
        nextCommit = now
        nextMaintenance = maintenanceInterval.map { now + $0 }
    }

    /// Reason why the worker is not ready, as one sentence for an operator; `nil` if it is ready.
    var reasonNotReady: String? {
        if isStopping { return "The worker is stopping." }
        return storeProblem ?? brokerProblem ?? outputProblem ?? restoreProgress
            ?? (hasJoined ? nil : "Waiting for partitions.")
    }

    enum PeriodicWork {
        /// Commit offsets, update lags, and check the connection to the brokers.
        case commitAndReport
        case maintain
    }

    /// Returns the due work in order, and schedules its next time.
    mutating func dueWork(at now: ContinuousClock.Instant) -> [PeriodicWork] {
        guard now >= nextCommit else { return [] }
        nextCommit = now + commitInterval
        guard let maintenanceInterval, let due = nextMaintenance, now >= due, storeProblem == nil else {
            return [.commitAndReport]
        }
        nextMaintenance = now + maintenanceInterval
        return [.commitAndReport, .maintain]
    }
}

/// Continuation of a partition whose fetched offset the broker does not have.
enum MissingOffset: Equatable {
    /// Continue at an offset; `lost` unprocessed records before it were deleted.
    case restart(at: Int64, lost: Int64)
    /// Reread a truncated partition from its oldest offset; duplicates are detected by event id.
    case reread(from: Int64)
    /// Stop the worker, because the topic does not have the offset and may have been recreated.
    case reject

    /// Selects the continuation for the missing offset `fetched`.
    ///
    /// `next`: the first unprocessed offset. `low`: the broker's oldest offset. `deduplicatesByEvent`: see
    /// ``ConsumeLoop/deduplicatesByEvent``.
    init(fetched: Int64, next: Int64, low: Int64, deduplicatesByEvent: Bool = false) {
        if fetched <= low {
            // Counts from `next`, because the records before `next` would only be reread.
            self = .restart(at: low, lost: next > 0 ? max(0, low - next) : 0)
        } else {
            // An offset above the broker's range was not deleted by retention. If `low` is above 0, retention has
            // deleted records of this topic, so it was truncated. If `low` is 0, the topic may have been recreated, and
            // all its new events would look like duplicates.
            self = deduplicatesByEvent && low > 0 ? .reread(from: low) : .reject
        }
    }
}
