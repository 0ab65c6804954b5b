import Kafka

/// State machine of a worker's loop: receives events and returns the actions that ``ConsumeLoop`` performs.
///
/// A value without clients, clocks and threads.
struct LoopState {
    enum Event {
        /// Partitions were assigned.
        case assigned
        /// The worker rejoins its group as a new member.
        case rejoining
        case stopping
        /// The store is unavailable, or available again (`nil`).
        case store(problem: String?)
        /// The brokers are unavailable or reject the login; `nil` when they are available again.
        case broker(problem: String?)
        /// Progress of a restore; `nil` if absent.
        case restore(String?)
        /// Outputs are unacknowledged for long; `nil` when they are acknowledged.
        case outputs(problem: String?)
        /// One iteration of the loop.
        case time(ContinuousClock.Instant)
        /// The consumer reported an error; `isAssigned`: for a partition assigned to this worker.
        case consumerError(KafkaError, isAssigned: Bool)
        /// The broker does not have the fetched offset.
        ///
        /// `next`: the first unprocessed offset. `low`: the first offset of the broker. `deduplicatesByEvent`: see
        /// ``ConsumeLoop/deduplicatesByEvent``.
        case offsetMissing(fetched: Int64, next: Int64, low: Int64, deduplicatesByEvent: Bool = false)
    }

    enum Action: Equatable {
        /// Commit offsets, update lags, and check the connection to the brokers.
        case commitAndReport
        case maintain
        /// Log the error; the client retries.
        case retry
        /// Stop the worker with the error.
        case fail
        /// Query the broker's offsets of the partition between batches.
        case lookUpOffsets
        /// Continue at an offset; `lost` unprocessed records before it were deleted.
        case restart(at: Int64, lost: Int64)
        /// Reread a truncated partition.
        case reread(from: Int64)
        /// Stop the worker, because the topic never had the offset.
        case rejectOffset
    }

    private let commitInterval: Duration
    private let maintenanceInterval: Duration?
    private var nextCommit: ContinuousClock.Instant
    private var nextMaintenance: ContinuousClock.Instant?
    private var hasJoined = false
    private var isStopping = false
    private(set) var storeProblem: String?
    private var brokerProblem: String?
    private var restore: String?
    private var outputProblem: String?

    init(commitInterval: Duration, maintenanceInterval: Duration?, now: ContinuousClock.Instant) {
        self.commitInterval = commitInterval
        self.maintenanceInterval = maintenanceInterval
        nextCommit = now
        nextMaintenance = maintenanceInterval.map { now + $0 }
    }

    init(_ context: WorkerContext) {
        self.init(
            commitInterval: context.commitInterval, maintenanceInterval: context.maintenanceInterval, now: .now)
    }

    /// Why the worker is not ready, as one sentence for an operator; `nil` if it is.
    var reasonNotReady: String? {
        if isStopping { return "The worker is stopping." }
        return storeProblem ?? brokerProblem ?? outputProblem ?? restore
            ?? (hasJoined ? nil : "Waiting for partitions.")
    }

    @discardableResult
    mutating func apply(_ event: Event) -> [Action] {
        switch event {
        case .assigned: hasJoined = true
        case .rejoining: hasJoined = false
        case .stopping: isStopping = true
        case .store(let problem): storeProblem = problem
        case .broker(let problem): brokerProblem = problem
        case .restore(let progress): restore = progress
        case .outputs(let problem): outputProblem = problem
        case .time(let now): return due(at: now)
        case .consumerError(let error, let isAssigned): return actions(for: error, isAssigned: isAssigned)
        case .offsetMissing(let fetched, let next, let low, let deduplicatesByEvent):
            // After a rewind the fetched offset may be before the next unprocessed one.
            if fetched <= low { return [.restart(at: low, lost: next > 0 ? max(0, low - next) : 0)] }
            // An offset above the broker's range was not deleted by retention. If retention has deleted records, the
            // topic was truncated. Otherwise it may have been recreated, and all its new events would look like
            // duplicates.
            return [deduplicatesByEvent && low > 0 ? .reread(from: low) : .rejectOffset]
        }
        return []
    }

    private mutating func due(at now: ContinuousClock.Instant) -> [Action] {
        guard now >= nextCommit else { return [] }
        nextCommit = now + commitInterval
        guard let maintenanceInterval, let due = nextMaintenance, now >= due, storeProblem == nil else {
            return [.commitAndReport]
        }
        nextMaintenance = now + maintenanceInterval
        return [.commitAndReport, .maintain]
    }

    private func actions(for error: KafkaError, isAssigned: Bool) -> [Action] {
        // Nothing to do for a partition that was revoked meanwhile.
        if error.code == .offsetOutOfRange { return isAssigned ? [.lookUpOffsets] : [] }
        return [error.isFatal ? .fail : .retry]
    }
}
