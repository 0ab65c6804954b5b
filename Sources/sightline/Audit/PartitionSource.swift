import Domain
import Kafka
import Recordings

/// The records of a partition up to a fixed end.
///
/// Use on one thread only.
final class PartitionSource: RecordSource {
    /// Maximum time without records from the broker, in seconds.
    private static let patienceSeconds = 30.0
    private let readers: ReaderPool
    private let reader: KafkaReader
    private let batch: KafkaBatch
    private let end: Int64
    private let isDeadLetter: Bool
    private let isIncluded: (AuditedRecord) -> Bool
    private let check: () throws -> Void
    private let countRead: () throws -> Void
    private var index = 0
    private var isDone: Bool

    /// Starts reading up to `end` (exclusive); `check` while waiting, and `countRead` per record, can throw to stop.
    init(
        _ readers: ReaderPool, _ topic: PipelineTopic, partition: Int32, from start: Int64, end: Int64,
        where isIncluded: @escaping (AuditedRecord) -> Bool, check: @escaping () throws -> Void,
        countRead: @escaping () throws -> Void
    ) throws {
        self.readers = readers
        self.check = check
        reader = try readers.acquire()
        batch = reader.makeBatch(capacity: 4096)
        self.end = end
        self.countRead = countRead
        self.isIncluded = isIncluded
        isDeadLetter = topic.isDeadLetter
        isDone = end <= start
        if !isDone {
            try reader.start([readers.access.partition(partition, of: topic): start > 0 ? .offset(start) : .beginning])
        }
    }

    deinit {
        batch.removeAll()
        readers.release(reader)
    }

    func next() throws -> AuditedRecord? {
        while !isDone {
            while index < batch.count {
                let entry = batch[index]
                index += 1
                switch entry {
                case .message(let message)?:
                    if message.offset + 1 >= end { isDone = true }
                    guard message.offset < end else { return nil }
                    try countRead()
                    let record = AuditedRecord(message, isDeadLetter: isDeadLetter)
                    if isIncluded(record) { return record }
                case .end(_, _, let offset)?:
                    // The last records before the end may be control records, which consumers do not receive.
                    if offset >= end {
                        isDone = true
                        return nil
                    }
                case .failure(_, _, _, let error)?: if !error.isRetriable { throw error }
                case nil: break
                }
            }
            try poll()
        }
        return nil
    }

    private func poll() throws {
        batch.removeAll()
        index = 0
        let began = ContinuousClock.now
        while batch.isEmpty {
            try check()
            try reader.poll(into: batch, waitMilliseconds: 100)
            if began.duration(to: .now) / .seconds(1) > Self.patienceSeconds {
                throw InputError(
                    "The broker sent no records of a partition for \(Int(Self.patienceSeconds)) s.")
            }
        }
    }
}

/// Pool of Kafka readers; connecting a new one takes longer than reading a short partition.
///
/// Use on one thread only.
final class ReaderPool {
    let access: PipelineAccess
    private var idle: [KafkaReader] = []

    init(_ access: PipelineAccess) { self.access = access }

    func acquire() throws -> KafkaReader {
        if let reader = idle.popLast() { return reader }
        return try KafkaReader(access.kafka, log: PipelineAccess.log)
    }

    /// Puts back a reader whose messages are no longer used.
    func release(_ reader: KafkaReader) {
        reader.stop()
        idle.append(reader)
    }
}
