import Runtime
import Support
import Synchronization

/// Shares the producer's queue among partitions, so that one that cannot be written leaves room for the others.
///
/// A partition may hold up to a quarter of what is free. With n partitions that cannot be written, 4 of n + 4 parts of the
/// queue stay free for the others, and without any, one partition may hold a fifth of it. Nothing is measured or guessed:
/// a slow partition and one without a leader are the same.
final class QueueShares: Sendable {
    /// What one partition of a topic holds.
    private final class Share: Sendable {
        let records = Atomic(0)
        let bytes = Atomic(0)
        /// When a record was acknowledged last, or queued first, in milliseconds of a clock that only goes forward.
        let movedAt = Atomic<Int64>(0)
    }

    /// What is left for a partition is what is free, divided by this.
    private static let freeParts = 4

    private let topics: [String]
    private let partitions: Int
    private let maximumRecords: Int
    private let maximumBytes: Int
    private let shares: [Share]
    private let records = Atomic(0)
    private let bytes = Atomic(0)

    /// `topics`: without the prefix; `partitions`: of each.
    init(topics: [String], partitions: Int, maximumRecords: Int, maximumBytes: Int) {
        self.topics = topics
        self.partitions = partitions
        self.maximumRecords = maximumRecords
        self.maximumBytes = maximumBytes
        shares = (0..<topics.count * partitions).map { _ in Share() }
    }

    /// The number of a partition's share.
    func index(topic: Int, partition: Int32) -> Int { topic * partitions + Int(partition) }

    /// Whether a record may be queued; a partition that holds nothing may always queue one.
    func admits(_ index: Int, bytes count: Int) -> Bool {
        let share = shares[index]
        let held = share.records.load(ordering: .relaxed)
        guard held > 0 else { return true }
        let freeRecords = maximumRecords - records.load(ordering: .relaxed)
        let freeBytes = maximumBytes - bytes.load(ordering: .relaxed)
        return held < freeRecords / Self.freeParts
            && share.bytes.load(ordering: .relaxed) + count <= freeBytes / Self.freeParts
    }

    /// Counts a record that is queued.
    func add(_ index: Int, bytes count: Int, at now: Timestamp) {
        let share = shares[index]
        records.add(1, ordering: .relaxed)
        bytes.add(count, ordering: .relaxed)
        share.bytes.add(count, ordering: .relaxed)
        if share.records.add(1, ordering: .relaxed).oldValue == 0 {
            share.movedAt.store(now.milliseconds, ordering: .relaxed)
        }
    }

    /// Counts a record that is acknowledged, or never will be.
    func remove(_ index: Int, bytes count: Int, at now: Timestamp) {
        let share = shares[index]
        records.subtract(1, ordering: .relaxed)
        bytes.subtract(count, ordering: .relaxed)
        share.bytes.subtract(count, ordering: .relaxed)
        share.records.subtract(1, ordering: .relaxed)
        share.movedAt.store(now.milliseconds, ordering: .relaxed)
    }

    /// The partitions that hold records and had none acknowledged for `silence`.
    func waiting(at now: Timestamp, for silence: Duration) -> [PartitionStatus] {
        shares.enumerated().compactMap { index, share in
            let waited = now.milliseconds - share.movedAt.load(ordering: .relaxed)
            guard share.records.load(ordering: .relaxed) > 0, waited >= silence.wholeMilliseconds else { return nil }
            return PartitionStatus(
                topic: topics[index / partitions], partition: Int32(index % partitions), state: .waiting,
                unacknowledgedSeconds: Int(waited / 1000))
        }
    }
}
