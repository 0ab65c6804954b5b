import Kafka
import Processing
import Support

/// The offsets from which the state before a run is restored.
///
/// They are determined as for a worker that is assigned the partition: the newest record of the changelog minus the
/// memory of the processor.
struct MemoryBeforeRun {
    /// The number of last records whose newest timestamp is used.
    static let tailRecords: Int64 = 100

    /// The offset in the changelog, and in an input that workers rewind; 0 to read from the beginning.
    private(set) var changelog: Int64 = 0
    private(set) var input: Int64 = 0

    /// `tail`: the last records of the changelog before the run.
    init(
        _ layout: ProcessorLayout, tail: any RecordSource, changelog: TopicPartition, input: TopicPartition,
        _ reader: KafkaReader
    ) throws {
        var newest: Timestamp?
        while let record = try tail.next() { newest = max(newest ?? record.timestamp, record.timestamp) }
        guard let newest else { return }
        let since = Timestamp(milliseconds: newest.milliseconds - layout.memoryMilliseconds)
        let found = try reader.offsets(of: [changelog, input], atOrAfter: { _ in since })
        // Without a record since then, everything is restored: more is safe, less is not.
        self.changelog = found[changelog] ?? 0
        self.input = found[input] ?? 0
    }
}
