import Kafka
import Model
import Recordings

/// One partition of one topic, read from its oldest record, or a later one, to an end that was fixed before.
///
/// Belongs to one thread.
final class PartitionSource: RecordSource {
    /// How long the broker may be silent, in seconds.
    private static let patienceSeconds = 30.0
    private let readers: ReaderPool
    private let reader: KafkaReader
    private let batch: KafkaBatch
    private let end: Int64
    private let isDeadLetter: Bool
    private let isWanted: (AuditedRecord) -> Bool
    private let check: () throws -> Void
    private let noteRead: () throws -> Void
    private var index = 0
    private var isDone: Bool

    /// Begins to read a partition.
    ///
    /// `start`: the offset of the first record that is of interest, `end` that after the last one.
    /// `isWanted`: which records between them are of interest.
    /// `check`: called while it waits; throwing gives up.
    /// `noteRead`: called for each record; throwing gives up.
    init(
        _ readers: ReaderPool, _ topic: PipelineTopic, partition: Int32, from start: Int64 = 0, end: Int64,
        where isWanted: @escaping (AuditedRecord) -> Bool = { _ in true }, check: @escaping () throws -> Void,
        noteRead: @escaping () throws -> Void
    ) throws {
        self.readers = readers
        self.check = check
        reader = try readers.take()
        batch = reader.makeBatch(capacity: 4096)
        self.end = end
        self.noteRead = noteRead
        self.isWanted = isWanted
        isDeadLetter = topic.isDeadLetter
        isDone = end <= start
        if !isDone {
            let partition = TopicPartition(topic: readers.access.name(of: topic), partition: partition)
            try reader.start([partition: start > 0 ? .offset(start) : .beginning])
        }
    }

    deinit {
        batch.removeAll()
        readers.giveBack(reader)
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
                    try noteRead()
                    let record = AuditedRecord(message, isDeadLetter: isDeadLetter)
                    if isWanted(record) { return record }
                case .end(_, _, let offset)?:
                    // The last records before the end may be control records, which a consumer does not get.
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
                    "The broker sent nothing for \(Int(Self.patienceSeconds)) s in the middle of a partition.")
            }
        }
    }
}
