import Domain
import Kafka
import Processing

/// Finds the end offsets of partitions.
///
/// Use on one thread only.
struct TopicEnds {
    private let access: PipelineAccess
    private let partitions: [Int32]
    private let reader: KafkaReader

    init(_ access: PipelineAccess, partitions: [Int32]) throws {
        self.access = access
        self.partitions = partitions
        reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
    }

    /// Returns the end offset of each partition of `topics`.
    ///
    /// Reads to the end, because the offset that brokers list may be too low. `check` is called meanwhile and can throw.
    func find(_ topics: [PipelineTopic], check: () throws -> Void = {}) throws -> [SinkPartition: Int64] {
        var starts: [TopicPartition: KafkaReader.Start] = [:]
        for topic in topics {
            for partition in partitions {
                starts[TopicPartition(topic: access.name(of: topic), partition: partition)] = .position(.end)
            }
        }
        let found = try reader.readToEnd(starts, progress: check) { _, _, _ in }
        var ends: [SinkPartition: Int64] = [:]
        for topic in topics {
            let name = access.name(of: topic)
            for partition in partitions {
                ends[SinkPartition(topic: topic.rawValue, partition: partition)] =
                    found[TopicPartition(topic: name, partition: partition)]
            }
        }
        return ends
    }
}
