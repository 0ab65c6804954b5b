import Kafka
import Model
import Runtime

/// Writes what devices send: one producer for the connections of all event loops.
///
/// ``write(_:to:ticket:)`` may be called on any event loop; everything else belongs to the thread that made it.
final class DriverProducer: @unchecked Sendable {
    // @unchecked: of the producer, the event loops call `produce` alone, which any thread may call; it is not closed
    // before the last of them has let go of this.
    enum Target: Int, CaseIterable {
        case locations, trips

        var topic: PipelineTopic {
            switch self {
            case .locations: .rawLocations
            case .trips: .trips
            }
        }
    }

    /// A device waits for the acknowledgement: shorter than where only throughput counts.
    private static let lingerMilliseconds = 5
    /// Twice as much as a worker's: some partitions may hold a part of it for long.
    private static let queuedKibibytes = 65_536

    let base: KafkaProducer
    let shares: QueueShares
    private let locations: KafkaProducer.Topic
    private let trips: KafkaProducer.Topic

    /// `partitions`: of each topic.
    init(_ frame: WorkerContext, partitions: Int) throws(KafkaError) {
        var settings = KafkaProducerSettings()
        settings.lingerMilliseconds = Self.lingerMilliseconds
        settings.maximumQueuedKibibytes = Self.queuedKibibytes
        shares = QueueShares(
            topics: Target.allCases.map(\.topic.rawValue), partitions: partitions,
            maximumRecords: settings.maximumQueuedRecords, maximumBytes: settings.maximumQueuedKibibytes * 1024)
        base = try KafkaProducer(frame.kafka, settings: settings, log: WorkerLog.handler(frame.logger))
        locations = try base.topic(frame.names.full(PipelineTopic.rawLocations.rawValue))
        trips = try base.topic(frame.names.full(PipelineTopic.trips.rawValue))
    }

    /// Queues a record in the partition of its key.
    func write(_ record: KafkaProducer.Record, to target: Target, ticket: Int) -> KafkaProducer.Answer {
        let topic =
            switch target {
            case .locations: locations
            case .trips: trips
            }
        return base.produce(record, to: topic, partition: KafkaProducer.byKey, ticket: ticket)
    }
}
