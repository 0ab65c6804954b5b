import Codec
import Kafka
import Support

@testable import Domain

/// A producer of driver warnings in a stack's topic, in the driver's partition, like location-worker.
final class WarningProducer {
    private let producer: AcknowledgedProducer
    private let partitions: Int32

    init(_ stack: PipelineStack, partitions: Int) throws {
        producer = try AcknowledgedProducer("driver.warnings", of: stack)
        self.partitions = Int32(partitions)
    }

    /// Writes a warning and waits for its acknowledgement.
    ///
    /// The warning is written `times` times with the same event id, as after a retry of location-worker.
    func send(_ driver: String, _ reason: Reasons, _ action: LocationWarning.Action, times: Int = 1) throws {
        let evidence = LocationWarning.Evidence(
            distanceMeters: 4213, seconds: 3, speedMetersPerSecond: 1404, accuracyMeters: 77, fixes: 20)
        let partition = ByteSlice.withBytes(of: driver) { murmur2Partition(key: $0, count: partitions) }
        try producer.produce(driver, partition: partition, times: times) { number, now, value in
            ByteSlice.withBytes(of: driver) { key in
                WarningWriter.write(
                    event: EventID(partition: partition, offset: number), driverID: key,
                    warning: LocationWarning(reason: reason, action: action, evidence: evidence), risk: 0.97, at: now,
                    into: &value)
            }
        }
    }
}
