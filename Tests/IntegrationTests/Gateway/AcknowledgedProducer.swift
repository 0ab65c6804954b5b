import Foundation
import Kafka
import Support
import Synchronization

/// A producer that writes numbered records to a topic of a stack, and waits for each acknowledgement.
final class AcknowledgedProducer: Sendable {
    // @unchecked: the producer is only used under the lock.
    private struct State: @unchecked Sendable {
        let producer: KafkaProducer
        let topic: KafkaProducer.Topic
        var nextNumbers: [Int32: Int64] = [:]
    }

    private let state: Mutex<State>

    /// Creates a producer for a topic of the stack, named without the prefix.
    init(_ topic: String, of stack: PipelineStack) throws {
        let producer = try KafkaProducer(KafkaConfiguration(bootstrapServers: stack.bootstrapServers)) { _ in }
        state = Mutex(State(producer: producer, topic: try producer.topic("\(stack.name).\(topic)")))
    }

    deinit { state.withLock { $0.producer.close() } }

    /// Writes a record and waits for its acknowledgement.
    ///
    /// The same record is written `times` times, as after a retry of a worker. `write` appends its value; its
    /// arguments are the number of earlier calls for the partition, and the record's timestamp.
    func produce(
        _ key: String, partition: Int32, times: Int = 1,
        _ write: (_ number: Int64, _ now: Timestamp, inout ByteWriter) throws -> Void
    ) throws {
        try state.withLock { state in
            let number = state.nextNumbers[partition, default: 0]
            state.nextNumbers[partition] = number + 1
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            var value = ByteWriter()
            try write(number, now, &value)
            for _ in 0..<times {
                let result = ByteSlice.withBytes(of: key) { key in
                    state.producer.produce(
                        .init(key: key, value: value.bytes, timestamp: now), to: state.topic, partition: partition,
                        token: 0)
                }
                guard case .queued = result else { throw KafkaTestFailure("The record was not queued: \(result)") }
            }
            var failures = 0
            let isComplete = try state.producer.flush(deadline: .now + .seconds(60)) { _, error in
                failures += error == nil ? 0 : 1
            }
            guard isComplete, failures == 0 else { throw KafkaTestFailure("The record was not acknowledged.") }
        }
    }
}
