import Codec
import Domain
import Kafka
import Logging
import Processing
import Runtime
import Support

/// Writer of records with undelivered notifications to `trips.dead-letter`.
final class PushDeadLetters {
    static let refused: StaticString = "PUSH_REFUSED"
    static let abandoned: StaticString = "PUSH_ABANDONED"
    private static let deadline = Duration.seconds(5)

    private let producer: KafkaProducer
    private let topic: KafkaProducer.Topic
    private let letter: DeadLetter
    private var outputs = OutputBatch(capacity: 4096)

    init(_ kafka: KafkaConfiguration, names: TopicNames, logger: Logger) throws(KafkaError) {
        producer = try KafkaProducer(kafka, log: WorkerLog.handler(logger))
        topic = try producer.topic(names.full(PipelineTopic.tripsDeadLetter.rawValue))
        letter = DeadLetter(
            topic: PipelineTopic.riderUpdates.rawValue, stage: PushSink.name, processor: "PushCourier", output: 0)
    }

    /// Adds a record; `message` is one sentence and must not contain the device token.
    func add(_ record: InputRecord, event: EventID, code: StaticString, message: String) {
        outputs.source = Int(record.partition)
        letter.write(record, event: event, code: code, message: message, into: &outputs)
    }

    /// Produces the added records and waits for the acknowledgements.
    /// - Throws: `KafkaError` if a record is rejected, ``SinkError`` if the queue is full or after the timeout.
    func flush() throws {
        guard !outputs.outputs.isEmpty else { return }
        defer { outputs.removeAll() }
        for output in outputs.outputs { try produce(output) }
        var failure: KafkaError?
        let isDone = try producer.flush(deadline: .now + Self.deadline) { failure = $1 ?? failure }
        if let failure { throw failure }
        guard isDone else {
            throw SinkError(
                "Kafka has not acknowledged a dead letter in time; the batch is retried.", isRetriable: true)
        }
    }

    private func produce(_ output: OutputBatch.Output) throws {
        var headers = KafkaHeaders(capacity: output.headers.count)
        for header in outputs.headers[output.headers] { headers.add(header.name, slice(header.value)) }
        let record = KafkaProducer.Record(
            key: slice(output.key), value: output.value.map(slice), timestamp: output.timestamp)
        // The source of an output is the partition of its record.
        let partition = Int32(output.source)
        let answer = producer.produce(record, to: topic, partition: partition, headers: &headers, token: 0)
        switch answer {
        case .queued: break
        case .refused(let error): throw error
        case .queueFull:
            throw SinkError("The producer queue for dead letters is full; the batch is retried.", isRetriable: true)
        }
    }

    private func slice(_ range: Range<Int>) -> ByteSlice {
        ByteSlice(UnsafeRawBufferPointer(rebasing: outputs.bytes.bytes.buffer[range]))
    }

    func close() { producer.close() }
}
