import Domain
import Foundation
import Kafka
import Support

extension PipelineStack {
    /// Client settings that allow records of up to 2 MB.
    var kafka: KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: bootstrapServers, properties: ["message.max.bytes": "2000000"])
    }

    /// Appends records to partition 0 of a topic and waits for their acknowledgement.
    func send(_ records: [(key: String, value: [UInt8], at: Timestamp)], to topic: PipelineTopic) throws {
        let producer = try KafkaProducer(kafka) { _ in }
        defer { producer.close() }
        let handle = try producer.topic("\(name).\(topic.rawValue)")
        for (index, record) in records.enumerated() {
            ByteSlice.withBytes(of: record.key) { key in
                record.value.withUnsafeBytes { value in
                    _ = producer.produce(
                        .init(key: key, value: ByteSlice(value), timestamp: record.at), to: handle, partition: 0,
                        token: index)
                }
            }
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(30)) { _, error in failures += error == nil ? 0 : 1 }
        guard isDone, failures == 0 else { throw KafkaTestFailure("Not all records were acknowledged.") }
    }

    /// Returns values and headers of all records in partition 0 of a topic.
    func read(_ topic: PipelineTopic) throws -> [(value: [UInt8], headers: [String: String])] {
        let reader = try KafkaReader(kafka) { _ in }
        defer { reader.close() }
        var records: [(value: [UInt8], headers: [String: String])] = []
        let partition = TopicPartition(topic: "\(name).\(topic.rawValue)", partition: 0)
        try reader.readToEnd([partition: .position(.beginning)]) { _, _, message in
            records.append((message.record.value.map { Array($0.buffer) } ?? [], message.textHeaders))
        }
        return records
    }
}
