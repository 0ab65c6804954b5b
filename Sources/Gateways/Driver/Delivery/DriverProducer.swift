import Domain
import Kafka
import Runtime

/// Kafka producer shared by the connections of all event loops.
///
/// Event loops may use ``write(_:to:token:)`` and ``shares``; ``base`` is for the thread that created this object.
final class DriverProducer: @unchecked Sendable {
    // @unchecked: event loops call only the function `produce` of `base`, which is thread-safe. `base` is closed after
    // the last event loop has released this object.
    enum Target: Int, CaseIterable {
        case locations, trips

        var topic: PipelineTopic {
            switch self {
            case .locations: .rawLocations
            case .trips: .trips
            }
        }
    }

    /// Linger of the producer; short, because devices wait for the acknowledgement.
    private static let lingerMilliseconds = 5
    /// Size of the queue: twice that of a worker, because stalled partitions may occupy part of it for a long time.
    private static let queuedKibibytes = 65_536

    let base: KafkaProducer
    let shares: QueueShares
    private let topics: [KafkaProducer.Topic]

    /// Creates the producer; `partitions` is the number of partitions of each topic.
    init(_ context: WorkerContext, partitions: Int) throws(KafkaError) {
        var settings = KafkaProducerSettings()
        settings.lingerMilliseconds = Self.lingerMilliseconds
        settings.maximumQueuedKibibytes = Self.queuedKibibytes
        shares = QueueShares(
            topics: Target.allCases.map(\.topic.rawValue), partitions: partitions,
            maximumRecords: settings.maximumQueuedRecords, maximumBytes: settings.maximumQueuedKibibytes * 1024)
        base = try KafkaProducer(context.kafka, settings: settings, log: WorkerLog.handler(context.logger))
        var topics: [KafkaProducer.Topic] = []
        for target in Target.allCases { topics.append(try base.topic(context.names.full(target.topic.rawValue))) }
        self.topics = topics
    }

    func write(_ record: KafkaProducer.Record, to target: Target, token: Int) -> KafkaProducer.ProduceResult {
        base.produce(record, to: topics[target.rawValue], partition: KafkaProducer.byKey, token: token)
    }
}
