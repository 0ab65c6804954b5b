import Kafka

/// What the loop of a worker decides: it takes in what happened and says what to do about it.
///
/// A value without clients, clocks or threads; ``ConsumeLoop`` does what it says.
struct LoopState {
    /// What happened.
    enum Event {
        /// The group gave out partitions.
        case assigned
        /// The worker begins again as a new member of its group.
        case rejoining
        case stopping
        /// The store is away, or answers again (`nil`).
        case store(trouble: String?)
        /// The brokers are away or refuse the login, or all is well (`nil`).
        case broker(trouble: String?)
        /// How far a restore is; `nil` when there is none.
        case restore(String?)
        /// Outputs have not been acknowledged for long, or all is well (`nil`).
        case outputs(trouble: String?)
        /// The loop came round.
        case time(ContinuousClock.Instant)
        /// The consumer reported an error; `isHeld` says whether it is of a partition that this worker holds.
        case consumerError(KafkaError, isHeld: Bool)
        /// The broker does not have the offset `fetched` of a partition; `low` is the first that it has, and `next`
        /// the first that this worker has not worked on. `knowsEvents`: whether records that are read again are
        /// recognised by their events alone.
        case offsetMissing(fetched: Int64, next: Int64, low: Int64, knowsEvents: Bool = false)
    }

    /// What to do.
    enum Action: Equatable {
        /// Commit the offsets, bring lags to the metrics, and look after the connection to the brokers.
        case commitAndReport
        case maintain
        /// Log it; the client retries by itself.
        case retry
        /// End the worker with the error.
        case fail
        /// Ask the broker which offsets it has of the partition, between batches.
        case lookUpOffsets
        /// Continue at an offset: `lost` records before it were deleted before they were worked on.
        case restart(at: Int64, lost: Int64)
        /// Read everything that is there again: the topic has lost its end.
        case readAgain(from: Int64)
        /// End the worker: the topic never had the offset.
        case refuseOffset
    }

    private let commitInterval: Duration
    private let maintenanceInterval: Duration?
    private var nextCommit: ContinuousClock.Instant
    private var nextMaintenance: ContinuousClock.Instant?
    private var hasJoined = false
    private var isStopping = false
    private(set) var storeTrouble: String?
    private var brokerTrouble: String?
    private var restore: String?
    private var outputTrouble: String?

    init(commitInterval: Duration, maintenanceInterval: Duration?, now: ContinuousClock.Instant) {
        self.commitInterval = commitInterval
        self.maintenanceInterval = maintenanceInterval
        nextCommit = now
        nextMaintenance = maintenanceInterval.map { now + $0 }
    }

    init(_ frame: WorkerContext) {
        self.init(
            commitInterval: frame.commitInterval, maintenanceInterval: frame.maintenanceInterval, now: .now)
    }

    /// Why the worker is not ready, as one sentence for an operator; `nil` when it is.
    var reasonNotReady: String? {
        if isStopping { return "The worker is stopping." }
        return storeTrouble ?? brokerTrouble ?? outputTrouble ?? restore
            ?? (hasJoined ? nil : "The worker waits for partitions.")
    }

    @discardableResult
    mutating func take(_ event: Event) -> [Action] {
        switch event {
        case .assigned: hasJoined = true
        case .rejoining: hasJoined = false
        case .stopping: isStopping = true
        case .store(let trouble): storeTrouble = trouble
        case .broker(let trouble): brokerTrouble = trouble
        case .restore(let progress): restore = progress
        case .outputs(let trouble): outputTrouble = trouble
        case .time(let now): return due(at: now)
        case .consumerError(let error, let isHeld): return answer(error, isHeld: isHeld)
        case .offsetMissing(let fetched, let next, let low, let knowsEvents):
            // What is fetched may lie before what is worked on, where a stage rewinds.
            if fetched <= low { return [.restart(at: low, lost: next > 0 ? max(0, low - next) : 0)] }
            // An offset above those that are there cannot have been deleted by retention. A topic that retention has
            // deleted from is not a new one, so it has lost its end; one with its first record may have been created
            // again, and then its events begin anew and would all be taken for old ones.
            return [knowsEvents && low > 0 ? .readAgain(from: low) : .refuseOffset]
        }
        return []
    }

    private mutating func due(at now: ContinuousClock.Instant) -> [Action] {
        guard now >= nextCommit else { return [] }
        nextCommit = now + commitInterval
        guard let maintenanceInterval, let due = nextMaintenance, now >= due, storeTrouble == nil else {
            return [.commitAndReport]
        }
        nextMaintenance = now + maintenanceInterval
        return [.commitAndReport, .maintain]
    }

    private func answer(_ error: KafkaError, isHeld: Bool) -> [Action] {
        // Of a partition that went to another process meanwhile, nothing is left to be done.
        if error.code == .offsetOutOfRange { return isHeld ? [.lookUpOffsets] : [] }
        return [error.isFatal ? .fail : .retry]
    }
}
