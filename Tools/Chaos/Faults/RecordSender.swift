import Domain
import Foundation
import Kafka
import Support

/// Writes records of the faults' own making into the pipeline's inputs.
final class RecordSender {
    /// How many records the broker took, and how many it refused.
    struct Count {
        var sent = 0
        var refused = 0
    }

    private let producer: KafkaProducer
    private let prefix: String
    private var count = Count()

    /// `environment`: that of the workers.
    init(_ environment: [String: String]) throws {
        prefix = environment["SIGHTLINE_TOPIC_PREFIX"] ?? ""
        let configuration = KafkaConfiguration(
            bootstrapServers: environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "", clientID: "chaos")
        producer = try KafkaProducer(configuration) { _ in }
    }

    deinit { producer.close() }

    /// Queues one record, dated `secondsAhead` of now.
    func send(
        _ value: String, key: String, to topic: PipelineTopic, partition: Int32, secondsAhead: Double = 0
    ) throws {
        let handle = try producer.topic(prefix + topic.rawValue)
        let answer = ByteSlice.withBytes(of: key) { key in
            Array(value.utf8).withUnsafeBytes { value in
                let record = KafkaProducer.Record(
                    key: key, value: ByteSlice(value), timestamp: .now(plusSeconds: secondsAhead))
                return producer.produce(record, to: handle, partition: partition, token: 0)
            }
        }
        guard case .queued = answer else { throw ChaosError("The client takes no record for \(topic): \(answer)") }
        count.sent += 1
    }

    /// Waits until the broker has answered for all records.
    func finish() throws -> Count {
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in
            if error != nil { count.refused += 1 }
        }
        guard isDone else { throw ChaosError("The broker did not take the fault's records within 20 s.") }
        count.sent -= count.refused
        return count
    }
}

extension Timestamp {
    fileprivate static func now(plusSeconds seconds: Double) -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 + seconds) * 1000))
    }
}
