import Kafka
import Recordings
import Runtime
import SightlineCLI
import Support

/// Writes updates to `rider.updates`, as broadcast-worker does; belongs to one thread.
final class TopicFeed: UpdateFeed {
    /// How long an update may wait for others, in milliseconds; that counts as latency.
    private static let lingerMilliseconds = 1
    private static let patience = Duration.seconds(60)

    private let producer: KafkaProducer
    private let topic: KafkaProducer.Topic
    private var failure: KafkaError?

    init(_ stage: BenchStage) throws {
        var settings = KafkaProducerSettings()
        settings.lingerMilliseconds = Self.lingerMilliseconds
        producer = try KafkaProducer(stage.access.kafka, settings: settings, log: PipelineAccess.log)
        topic = try producer.topic(stage.topic(.riderUpdates))
    }

    func send(_ update: ByteSlice, channel: ByteSlice, partition: Int32) throws {
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        let record = KafkaProducer.Record(key: channel, value: update, timestamp: now)
        while true {
            switch producer.produce(record, to: topic, partition: partition, token: 0) {
            case .queued: return
            case .queueFull: try poll(waitMilliseconds: 100)
            case .refused(let error): throw error
            }
        }
    }

    func poll(waitMilliseconds: Int) throws {
        try producer.poll(waitMilliseconds: waitMilliseconds) { _, error in failure = failure ?? error }
        if let failure { throw failure }
    }

    func finish() throws {
        let isDone = try producer.flush(deadline: .now + Self.patience) { _, error in failure = failure ?? error }
        if let failure { throw failure }
        guard isDone else { throw InputError("\(producer.outstanding) updates were not acknowledged within 60 s.") }
    }

    func close() { producer.close() }
}
