import Glibc
import Processing
import Support
import Synchronization

/// In-memory store of rows and of an offset per partition; a batch must begin at the stored offset.
final class MemoryStore: Sendable {
    struct State {
        var nextOffsets: [SinkPartition: Int64] = [:]
        var rows: [String] = []
        var isUnavailable = false
        var failedAttempts = 0
        /// Number of records before the stored offset at which workers start to read a partition.
        var rereadDistance: Int64 = 0
        /// Number of records that workers have read again.
        var rereadCount = 0
        /// Whether the next write is applied and then fails, like a connection that breaks before the response arrives.
        var losesNextResponse = false
        var blocksWrites = false
        /// Whether a write is blocked by ``blocksWrites``.
        var isBlocked = false
    }

    let state = Mutex(State())

    /// Blocks the worker's thread while ``State/blocksWrites`` is true.
    func waitWhileBlocked() {
        while state.withLock({ state in
            state.isBlocked = state.blocksWrites
            return state.isBlocked
        }) {
            usleep(5000)
        }
    }
}

struct MemoryStoreError: ClassifiedError {
    let isRetriable = true
    let description = "The memory store is unavailable."
}

final class MemorySink: Sink {
    static let name = "memory"
    static let topics = ["rows"]

    private let store: MemoryStore

    init(_ store: MemoryStore) { self.store = store }

    func connect() throws {
        try store.state.withLock { state in
            guard state.isUnavailable else { return }
            state.failedAttempts += 1
            throw MemoryStoreError()
        }
    }

    func nextOffsets(of partitions: [SinkPartition]) throws -> [SinkPartition: Int64] {
        try store.state.withLock { state in
            if state.isUnavailable { throw MemoryStoreError() }
            return state.nextOffsets.filter { partitions.contains($0.key) }
        }
    }

    func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition] {
        let distance = store.state.withLock { $0.rereadDistance }
        return try nextOffsets(of: partitions).mapValues { SinkPosition(next: $0, readFrom: max(0, $0 - distance)) }
    }

    func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport {
        meanwhile()
        store.waitWhileBlocked()
        return try store.state.withLock { state in
            if state.isUnavailable {
                state.failedAttempts += 1
                throw MemoryStoreError()
            }
            var report = SinkReport()
            for batch in batches {
                guard state.nextOffsets[batch.partition] ?? 0 == batch.from else {
                    report.superseded.append(batch.partition)
                    continue
                }
                let fresh = batch.records.filter { $0.offset >= batch.writtenBefore }
                state.rereadCount += batch.records.count - fresh.count
                state.rows += fresh.map { "\($0.partition) \($0.offset) \($0.value?.string ?? "")" }
                state.nextOffsets[batch.partition] = batch.to
                report.written += batch.records.count
            }
            if state.losesNextResponse {
                state.losesNextResponse = false
                throw MemoryStoreError()
            }
            return report
        }
    }

    func now() throws -> Timestamp { Timestamp(milliseconds: 0) }

    func maintain(now: Timestamp) throws {
        try store.state.withLock { state in if state.isUnavailable { throw MemoryStoreError() } }
    }

    func disconnect() {}
}
