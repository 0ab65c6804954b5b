import CRdKafka
import Kafka

/// One partition of the simulated log, with a leader and a follower.
///
/// Readers see the records below the high watermark, which both have. A change of the leader loses the others, whose
/// producers have not been answered.
final class LogPartition {
    let name: TopicPartition
    private let world: World
    /// Records by offset; a compacted partition has gaps.
    private(set) var records: [LogRecord] = []
    /// The oldest offset.
    private(set) var low: Int64 = 0
    /// The offset after the newest record of the leader.
    private(set) var end: Int64 = 0
    /// The offset after the newest record that both replicas have.
    private(set) var highWatermark: Int64 = 0
    /// Error with which writes are refused; `nil` if they are accepted.
    var refusal: rd_kafka_resp_err_t?
    /// Number of writes to refuse, and the error.
    private var refusals: (count: Int, error: rd_kafka_resp_err_t)?
    /// Whether the follower is behind, so that no write is acknowledged.
    private(set) var isStalled = false
    private var producers: [Int: ProducerState] = [:]
    private var unacknowledged: [(end: Int64, respond: (ProduceResult) -> Void)] = []
    private var readers: [() -> Void] = []
    private var replicatedAt: Int64 = 0
    private var epoch = 0

    private struct ProducerState {
        var next = 0
        /// Offsets of the last batches, by their first number.
        var batches: [(first: Int, offset: Int64, end: Int64)] = []
    }

    /// Copies the readable records of a partition into another world.
    convenience init(copying other: LogPartition, _ world: World) {
        self.init(other.name, world)
        records = other.records.filter { $0.offset < other.highWatermark }
        (low, end, highWatermark) = (other.low, other.highWatermark, other.highWatermark)
    }

    enum ProduceResult {
        /// The offset of the batch's first record.
        case written(Int64)
        case failed(rd_kafka_resp_err_t)
    }

    init(_ name: TopicPartition, _ world: World) {
        self.name = name
        self.world = world
    }

    /// Appends a batch once, and responds when both replicas have it.
    func produce(_ batch: [LogRecord], respond: @escaping (ProduceResult) -> Void) {
        if let refusal { return respond(.failed(refusal)) }
        if let next = refusals, next.count > 0 {
            refusals?.count -= 1
            return respond(.failed(next.error))
        }
        guard let first = batch.first?.sequence else { preconditionFailure("A produced record has no sequence.") }
        let state = producers[first.producer] ?? ProducerState()
        if first.number < state.next {
            guard let known = state.batches.last(where: { $0.first == first.number }) else {
                return respond(.failed(RD_KAFKA_RESP_ERR_DUPLICATE_SEQUENCE_NUMBER))
            }
            return acknowledge(known.offset, end: known.end, respond)
        }
        guard first.number == state.next else {
            return respond(.failed(RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER))
        }
        let offset = end
        for record in batch { appendToLeader(record, batch: first.number) }
        world.trace.add("\(name) gets \(batch.count) records at \(offset) from producer \(first.producer)")
        acknowledge(offset, end: end, respond)
    }

    /// Appends a record of a producer outside the simulation, which both replicas have at once.
    func append(_ record: LogRecord) {
        appendToLeader(record, batch: 0)
        replicate(to: end)
    }

    private func appendToLeader(_ record: LogRecord, batch: Int) {
        record.place(at: end, batch: batch)
        records.append(record)
        end += 1
        update(record)
    }

    /// Updates the state of the record's producer.
    private func update(_ record: LogRecord) {
        guard let sequence = record.sequence else { return }
        var state = producers[sequence.producer] ?? ProducerState()
        if let last = state.batches.indices.last, state.batches[last].first == record.batch {
            state.batches[last].end = record.offset + 1
        } else {
            state.batches.append((record.batch, record.offset, record.offset + 1))
            if state.batches.count > 5 { state.batches.removeFirst() }
        }
        state.next = sequence.number + 1
        producers[sequence.producer] = state
    }

    private func acknowledge(_ offset: Int64, end: Int64, _ respond: @escaping (ProduceResult) -> Void) {
        if end <= highWatermark { return respond(.written(offset)) }
        unacknowledged.append(
            (
                end,
                { result in
                    if case .failed = result { respond(result) } else { respond(.written(offset)) }
                }
            ))
        scheduleReplication()
    }

    private func scheduleReplication() {
        guard !isStalled else { return }
        let (target, epoch) = (end, epoch)
        replicatedAt = max(replicatedAt, world.now + world.latency())
        world.schedule(after: replicatedAt - world.now) { [self] in
            if epoch == self.epoch, !isStalled { replicate(to: target) }
        }
    }

    private func replicate(to target: Int64) {
        guard target > highWatermark else { return }
        highWatermark = target
        let done = unacknowledged.filter { $0.end <= target }
        unacknowledged.removeAll { $0.end <= target }
        for one in done { one.respond(.written(0)) }
        wakeReaders()
    }

    private func wakeReaders() {
        let waiting = readers
        readers = []
        for reader in waiting { reader() }
    }
}

// Reading.
extension LogPartition {
    /// Calls `body` once, when a record follows.
    func onNextRecord(_ body: @escaping () -> Void) { readers.append(body) }

    /// Returns up to `limit` readable records from `offset` on.
    func records(from offset: Int64, limit: Int) -> ArraySlice<LogRecord> {
        let start = index(of: offset)
        let stop = min(index(of: highWatermark), start + limit)
        return records[start..<max(start, stop)]
    }

    /// Returns the first offset whose record has this timestamp or a later one; `nil` if there is none.
    func offset(atOrAfter milliseconds: Int64) -> Int64? {
        records[..<index(of: highWatermark)].first { $0.timestamp >= milliseconds }?.offset
    }

    /// Returns the index of the first record at or after an offset.
    private func index(of offset: Int64) -> Int {
        var (first, count) = (0, records.count)
        while count > 0 {
            let half = count / 2
            if records[first + half].offset < offset {
                first += half + 1
                count -= half + 1
            } else {
                count = half
            }
        }
        return first
    }
}

// Faults.
extension LogPartition {
    /// Makes the follower the leader; records that it did not have are lost.
    func changeLeader() {
        guard end > highWatermark else { return }
        world.trace.add("\(name) loses \(end - highWatermark) unacknowledged records")
        truncate(to: highWatermark)
    }

    /// Removes all records from `offset` on, also acknowledged ones (unclean election of a leader).
    ///
    /// Batches are removed as a whole, so that the partition may end before `offset`.
    func truncate(to offset: Int64) {
        var first = index(of: offset)
        while first > 0, first < records.count, let sequence = records[first].sequence,
            sequence.number != records[first].batch,
            records[first - 1].sequence?.producer == sequence.producer
        {
            first -= 1
        }
        let newEnd = first < records.count ? records[first].offset : min(offset, end)
        records.removeSubrange(first...)
        end = newEnd
        highWatermark = min(highWatermark, newEnd)
        epoch += 1
        producers = [:]
        for record in records { update(record) }
        let failed = unacknowledged
        unacknowledged = []
        for one in failed { one.respond(.failed(RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION)) }
        wakeReaders()
    }

    /// Refuses the next `count` writes.
    func refuse(_ count: Int, with error: rd_kafka_resp_err_t) { refusals = (count, error) }

    /// Stops or continues the replication.
    func setStalled(_ value: Bool) {
        isStalled = value
        if !value { scheduleReplication() }
    }

    /// Deletes the records before `offset` (retention).
    func deleteRecords(before offset: Int64) {
        let start = min(offset, highWatermark)
        guard start > low else { return }
        records.removeSubrange(..<index(of: start))
        low = start
    }

    /// Removes records that a later readable record of the same key replaces.
    func compact() {
        var newest: [[UInt8]: Int64] = [:]
        for record in records where record.offset < highWatermark { newest[Array(record.key)] = record.offset }
        // The last readable record stays, as in Kafka, where the active segment is never compacted.
        records.removeAll {
            $0.offset < highWatermark - 1 && newest[Array($0.key)].map { [offset = $0.offset] in $0 > offset } ?? false
        }
    }
}

/// The offsets that readers can read.
struct OffsetRange {
    var low: Int64
    /// The offset after the newest one.
    var high: Int64
}
