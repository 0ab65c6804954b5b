import Bytes
import Foundation
import Kafka
import Pipeline
import Tracking

/// Records that cannot be read, in every partition.
extension Saboteur {
    private static let poisons = [
        "", "{", "not json", "null", "[]", #"{"type":"weather","driver_id":"drv_1"}"#,
        #"{"type":"location","driver_id":"drv_1","payload":{"latitude":"48.1","longitude":11.5,"timestamp":1770000000000}}"#,
        #"{"type":"location","driver_id":"drv_1","payload":{"latitude":91,"longitude":11.5,"timestamp":1770000000000}}"#,
        #"{"type":"location","driver_id":"other","payload":{"latitude":48.1,"longitude":11.5,"timestamp":1}}"#,
        "{\"note\":\"" + String(repeating: "x", count: 20_000) + "\"}", "\u{0}\u{1}\u{2}",
    ]

    /// Writes some of each kind into every partition of the pipeline's inputs.
    /// - Returns: how many.
    func sendPoison() throws -> Int {
        let configuration = KafkaConfiguration(
            bootstrapServers: environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "", clientID: "chaos")
        let producer = try KafkaProducer(configuration) { _ in }
        defer { producer.close() }
        var count = 0
        for topic in [PipelineTopic.rawLocations, .trips] {
            let handle = try producer.topic((environment["SIGHTLINE_TOPIC_PREFIX"] ?? "") + topic.rawValue)
            for partition in 0..<Int32(partitions) {
                for poison in Self.poisons.shuffled(using: &generator) {
                    send(poison, to: handle, partition: partition, producer)
                    count += 1
                }
            }
        }
        guard try producer.flush(deadline: .now + .seconds(20), { _, _ in }) else {
            throw ChaosError("The poison was not taken within 20 s.")
        }
        return count
    }

    private func send(_ poison: String, to topic: KafkaProducer.Topic, partition: Int32, _ producer: KafkaProducer) {
        ByteSlice.withBytes(of: "drv_1") { key in
            Array(poison.utf8).withUnsafeBytes { value in
                let record = KafkaProducer.Record(key: key, value: ByteSlice(value), timestamp: .now)
                _ = producer.produce(record, to: topic, partition: partition, ticket: 0)
            }
        }
    }
}

extension Timestamp {
    fileprivate static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
