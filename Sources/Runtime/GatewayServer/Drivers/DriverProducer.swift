import Kafka
import Pipeline
import Streaming

/// Writes what devices send: one producer for the connections of all event loops.
///
/// ``write(_:to:ticket:)`` may be called on any event loop; everything else belongs to the thread that made it.
final class DriverProducer: @unchecked Sendable {
    // @unchecked: of the producer, the event loops call `produce` alone, which any thread may call; it is not closed
    // before the last of them has let go of this.
    enum Target {
        case locations, trips
    }

    /// A device waits for the acknowledgement: shorter than where only throughput counts.
    private static let lingerMilliseconds = 5

    let base: KafkaProducer
    private let locations: KafkaProducer.Topic
    private let trips: KafkaProducer.Topic

    init(_ frame: WorkerFrame) throws(KafkaError) {
        var settings = KafkaProducerSettings()
        settings.lingerMilliseconds = Self.lingerMilliseconds
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
