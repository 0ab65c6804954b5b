import Runtime
import Support
import Synchronization

/// Shares of the partitions in the producer's queue; limited, so that stalled partitions leave room for others.
///
/// A partition may use up to a quarter of the free space. With n stalled partitions, 4/(n + 4) of the queue stays free
/// for the others; without any, one partition may use a fifth. Slow partitions and partitions without a leader are
/// treated alike.
final class QueueShares: Sendable {
    private final class Share: Sendable {
        let records = Atomic(0)
        let bytes = Atomic(0)
        /// Time of the last delivery report, or of the first record in an empty share; monotonic, in milliseconds.
        let progressAt = Atomic<Int64>(0)

        /// Returns the number of records before the addition.
        @discardableResult
        func add(records count: Int, bytes size: Int) -> Int {
            bytes.add(size, ordering: .relaxed)
            return records.add(count, ordering: .relaxed).oldValue
        }
    }

    /// A partition may use 1 / `divisor` of the free space.
    private static let divisor = 4

    private let topics: [String]
    private let partitions: Int
    private let maximumRecords: Int
    private let maximumBytes: Int
    private let shares: [Share]
    private let total = Share()

    /// Creates empty shares; `topics` are names without prefix, `partitions` is the number of partitions of each.
    init(topics: [String], partitions: Int, maximumRecords: Int, maximumBytes: Int) {
        self.topics = topics
        self.partitions = partitions
        self.maximumRecords = maximumRecords
        self.maximumBytes = maximumBytes
        shares = (0..<topics.count * partitions).map { _ in Share() }
    }

    func index(topic: Int, partition: Int32) -> Int { topic * partitions + Int(partition) }

    /// Returns whether a record of this size may be queued; a partition without records may always queue one.
    func admits(_ index: Int, bytes count: Int) -> Bool {
        let share = shares[index]
        let queued = share.records.load(ordering: .relaxed)
        guard queued > 0 else { return true }
        let freeRecords = maximumRecords - total.records.load(ordering: .relaxed)
        let freeBytes = maximumBytes - total.bytes.load(ordering: .relaxed)
        return queued < freeRecords / Self.divisor
            && share.bytes.load(ordering: .relaxed) + count <= freeBytes / Self.divisor
    }

    func add(_ index: Int, bytes count: Int, at now: Timestamp) {
        total.add(records: 1, bytes: count)
        if shares[index].add(records: 1, bytes: count) == 0 {
            shares[index].progressAt.store(now.milliseconds, ordering: .relaxed)
        }
    }

    func remove(_ index: Int, bytes count: Int, at now: Timestamp) {
        total.add(records: -1, bytes: -count)
        shares[index].add(records: -1, bytes: -count)
        shares[index].progressAt.store(now.milliseconds, ordering: .relaxed)
    }

    /// Returns the partitions with queued records and no delivery report for `duration`.
    func stalled(at now: Timestamp, for duration: Duration) -> [PartitionStatus] {
        shares.enumerated().compactMap { index, share in
            let waited = now.milliseconds - share.progressAt.load(ordering: .relaxed)
            guard share.records.load(ordering: .relaxed) > 0, waited >= duration.wholeMilliseconds else { return nil }
            return PartitionStatus(
                topic: topics[index / partitions], partition: Int32(index % partitions), state: .waiting,
                unacknowledgedSeconds: Int(waited / 1000))
        }
    }
}
