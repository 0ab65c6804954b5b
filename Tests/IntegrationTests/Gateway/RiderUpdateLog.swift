import Foundation
import Kafka
import Support
import Synchronization
import TestSupport

/// Writes rider updates to a stack's topic, as broadcast-worker does: with event ids that count in each partition.
final class RiderUpdateLog: Sendable {
    // @unchecked inside: the producer belongs to the lock.
    private struct State: @unchecked Sendable {
        let producer: KafkaProducer
        let topic: KafkaProducer.Topic
        var next: [Int32: Int64] = [:]
    }

    private let state: Mutex<State>

    init(_ stack: PipelineStack) throws {
        let configuration = KafkaConfiguration(bootstrapServers: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "")
        let producer = try KafkaProducer(configuration) { _ in }
        state = Mutex(State(producer: producer, topic: try producer.topic("\(stack.name).rider.updates")))
    }

    /// Writes an update and waits for its acknowledgement.
    func tell(_ channel: String, _ type: String, _ payload: String, partition: Int32) throws {
        try state.withLock { state in
            let number = state.next[partition, default: 0]
            state.next[partition] = number + 1
            let update = """
                {"type":"\(type)","event_id":"\(partition)-\(number)","channel":"\(channel)","payload":\(payload)}
                """
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            let answer = ByteSlice.withBytes(of: channel) { key in
                ByteSlice.withBytes(of: update) { value in
                    state.producer.produce(
                        .init(key: key, value: value, timestamp: now), to: state.topic, partition: partition, token: 0)
                }
            }
            guard case .queued = answer else { throw KafkaTestFailure("An update was not queued: \(answer)") }
            var failures = 0
            let isDone = try state.producer.flush(deadline: .now + .seconds(60)) { _, error in
                failures += error == nil ? 0 : 1
            }
            guard isDone, failures == 0 else { throw KafkaTestFailure("An update was not acknowledged.") }
        }
    }

    func close() { state.withLock { $0.producer.close() } }
}
