import Glibc
import Processing
import Support
import Synchronization

/// A store in memory that keeps a clock per partition beside the data and advances it by compare-and-swap.
final class MemoryStore: Sendable {
    struct State {
        var clocks: [SinkPartition: Int64] = [:]
        var rows: [String] = []
        var isAway = false
        var failedAttempts = 0
        var largestBatch = 0
        /// How many records before its clock a partition is read from, and how many of those came again.
        var readsBack: Int64 = 0
        var readAgain = 0
        /// Fails the next write after it was applied, as a connection that breaks while the answer is on its way.
        var losesNextAnswer = false
        /// Has writes wait until it is taken back.
        var holdsWrites = false
        /// Whether a write waits because of ``holdsWrites``.
        var isHolding = false
    }

    let state = Mutex(State())

    /// Waits, on the worker's own thread, for as long as writes are held.
    func waitWhileHeld() {
        while state.withLock({ state in
            state.isHolding = state.holdsWrites
            return state.isHolding
        }) {
            usleep(5000)
        }
    }
}

struct MemoryStoreError: ClassifiedError {
    let isRetriable = true
    let isFatal = false
    let description = "The memory store is away."
}

final class MemorySink: Sink {
    static let name = "memory"
    static let topics = ["rows"]

    private let store: MemoryStore

    init(_ store: MemoryStore) { self.store = store }

    func connect() throws {
        try store.state.withLock { state in
            guard state.isAway else { return }
            state.failedAttempts += 1
            throw MemoryStoreError()
        }
    }

    func nextOffsets(of partitions: [SinkPartition]) throws -> [SinkPartition: Int64] {
        try store.state.withLock { state in
            if state.isAway { throw MemoryStoreError() }
            return state.clocks.filter { partitions.contains($0.key) }
        }
    }

    func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition] {
        let readsBack = store.state.withLock { $0.readsBack }
        return try nextOffsets(of: partitions).mapValues { SinkPosition(next: $0, readFrom: max(0, $0 - readsBack)) }
    }

    func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport {
        meanwhile()
        store.waitWhileHeld()
        return try store.state.withLock { state in
            if state.isAway {
                state.failedAttempts += 1
                throw MemoryStoreError()
            }
            var report = SinkReport()
            for batch in batches {
                guard state.clocks[batch.partition] ?? 0 == batch.from else {
                    report.superseded.append(batch.partition)
                    continue
                }
                let fresh = batch.records.filter { $0.offset >= batch.writtenBefore }
                state.readAgain += batch.records.count - fresh.count
                state.rows += fresh.map { "\($0.partition) \($0.offset) \($0.value?.string ?? "")" }
                state.clocks[batch.partition] = batch.to
                state.largestBatch = max(state.largestBatch, batch.records.count)
                report.written += batch.records.count
            }
            if state.losesNextAnswer {
                state.losesNextAnswer = false
                throw MemoryStoreError()
            }
            return report
        }
    }

    func now() throws -> Timestamp { Timestamp(milliseconds: 0) }

    func maintain(now: Timestamp) throws {
        try store.state.withLock { state in if state.isAway { throw MemoryStoreError() } }
    }

    func disconnect() {}
}
