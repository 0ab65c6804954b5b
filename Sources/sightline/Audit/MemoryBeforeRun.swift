import Kafka
import Processing
import Support

/// Where a stage's memory of the time before a run begins in its topics.
///
/// It is found as by a worker that takes the partition over: from the newest record of the changelog, the stage's
/// memory back.
struct MemoryBeforeRun {
    /// How many of the changelog's last records are looked at for its newest time.
    static let tailRecords: Int64 = 100

    /// The offset in the changelog, and in an input that workers rewind; 0 where they are read from the beginning.
    private(set) var changelog: Int64 = 0
    private(set) var input: Int64 = 0

    /// - Parameters:
    ///   - layout: the stage.
    ///   - tail: the last records of the changelog before the run.
    ///   - changelog: the changelog.
    ///   - input: the input.
    ///   - reader: asked for offsets by time.
    /// - Throws: what reading `tail` throws, and `KafkaError` when the broker does not tell the offsets.
    init(
        _ layout: ProcessorLayout, tail: any RecordSource, changelog: TopicPartition, input: TopicPartition,
        _ reader: KafkaReader
    ) throws {
        var newest: Timestamp?
        while let record = try tail.next() { newest = max(newest ?? record.timestamp, record.timestamp) }
        guard let newest else { return }
        let since = Timestamp(milliseconds: newest.milliseconds - layout.memoryMilliseconds)
        let found = try reader.offsets(of: [changelog, input], atOrAfter: { _ in since })
        // Where the broker knows of no record so late it is the oldest: more is safe, less is not.
        self.changelog = found[changelog] ?? 0
        self.input = found[input] ?? 0
    }
}
