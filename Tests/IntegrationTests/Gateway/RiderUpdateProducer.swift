/// A producer of rider updates in a stack's topic, with event ids whose offsets count from 0 in each partition.
final class RiderUpdateProducer: Sendable {
    private let producer: AcknowledgedProducer

    init(_ stack: PipelineStack) throws { producer = try AcknowledgedProducer("rider.updates", of: stack) }

    /// Writes an update with a JSON payload, and waits for its acknowledgement.
    func send(_ channel: String, _ type: String, _ payload: String, partition: Int32) throws {
        try producer.produce(channel, partition: partition) { number, _, value in
            value.append(
                """
                {"type":"\(type)","event_id":"\(partition)-\(number)","channel":"\(channel)","payload":\(payload)}
                """)
        }
    }
}
