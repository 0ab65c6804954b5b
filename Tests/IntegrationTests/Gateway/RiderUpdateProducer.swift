/// Writes rider updates to a stack's topic, with event ids that count per partition like those of broadcast-worker.
final class RiderUpdateProducer: Sendable {
    private let producer: AcknowledgedProducer

    init(_ stack: PipelineStack) throws { producer = try AcknowledgedProducer("rider.updates", of: stack) }

    /// Writes an update and waits for its acknowledgement; `payload`: JSON.
    func send(_ channel: String, _ type: String, _ payload: String, partition: Int32) throws {
        try producer.produce(channel, partition: partition) { number, _, value in
            value.append(
                """
                {"type":"\(type)","event_id":"\(partition)-\(number)","channel":"\(channel)","payload":\(payload)}
                """)
        }
    }
}
