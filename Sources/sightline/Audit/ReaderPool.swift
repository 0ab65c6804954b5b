import Kafka

/// Readers that are used again: to connect one takes longer than to read a short partition.
///
/// Belongs to one thread.
final class ReaderPool {
    let access: PipelineAccess
    private var idle: [KafkaReader] = []

    init(_ access: PipelineAccess) { self.access = access }

    func take() throws -> KafkaReader {
        if let reader = idle.popLast() { return reader }
        return try KafkaReader(access.kafka, log: PipelineAccess.log)
    }

    /// Takes back a reader none of whose messages are in use.
    func giveBack(_ reader: KafkaReader) {
        reader.stop()
        idle.append(reader)
    }
}
