import Codec
import Domain
import Foundation
import Kafka
import Support
import TestSupport

/// Writes warnings for drivers to a stack's topic as location-worker does, in the partition of the driver.
final class WarningLog {
    private let producer: KafkaProducer
    private let topic: KafkaProducer.Topic
    private let partitions: Int32
    private var next: Int64 = 0

    init(_ stack: PipelineStack, partitions: Int) throws {
        let configuration = KafkaConfiguration(bootstrapServers: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "")
        producer = try KafkaProducer(configuration) { _ in }
        topic = try producer.topic("\(stack.name).driver.warnings")
        self.partitions = Int32(partitions)
    }

    deinit { producer.close() }

    /// Writes a warning and waits for its acknowledgement.
    ///
    /// `times`: how often, with the same event id, as a worker may that was paused.
    func tell(_ driver: String, _ reason: Reasons, _ action: LocationWarning.Action, times: Int = 1) throws {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let evidence = LocationWarning.Evidence(
            distanceMeters: 4213, seconds: 3, speedMetersPerSecond: 1404, accuracyMeters: 77, fixes: 20)
        try ByteSlice.withBytes(of: driver) { key in
            let partition = murmur2Partition(key: key, count: partitions)
            var value = ByteWriter()
            WarningWriter.write(
                event: EventID(partition: partition, offset: next), driverID: key,
                warning: LocationWarning(reason: reason, action: action, evidence: evidence), risk: 0.97, at: now,
                into: &value)
            next += 1
            for _ in 0..<times {
                let answer = producer.produce(
                    .init(key: key, value: value.bytes, timestamp: now), to: topic, partition: partition, token: 0)
                guard case .queued = answer else { throw KafkaTestFailure("A warning was not queued: \(answer)") }
            }
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, error in failures += error == nil ? 0 : 1 }
        guard isDone, failures == 0 else { throw KafkaTestFailure("A warning was not acknowledged.") }
    }
}
