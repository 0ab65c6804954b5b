import Domain
import Kafka
import Processing

/// A query of the end offsets of partitions.
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
    /// Reads to the end, because the end offset that brokers list may be too low. `check` is called while reading.
    func find(_ topics: [PipelineTopic], check: () throws -> Void = {}) throws -> TopicOffsets {
        let all = topics.flatMap { topic in
            partitions.map { (SinkPartition(topic: topic.rawValue, partition: $0), access.partition($0, of: topic)) }
        }
        let starts = Dictionary(uniqueKeysWithValues: all.map { ($1, KafkaReader.Start.position(.end)) })
        let ends = try reader.readToEnd(starts, progress: check) { _, _, _ in }
        return TopicOffsets(
            offsets: Dictionary(uniqueKeysWithValues: all.compactMap { key, name in ends[name].map { (key, $0) } }))
    }

    /// Returns the ends of all audited topics.
    ///
    /// Reads the topics in reverse order of the data flow. The inputs of all records before the ends are then before
    /// the ends, and results of later raw records and trip messages are after the ends.
    func findAll(check: () throws -> Void = {}) throws -> TopicOffsets {
        var ends = TopicOffsets()
        for topic in AuditSession.topics { ends.merge(try find([topic], check: check)) }
        return ends
    }
}

/// Offsets of topic partitions.
struct TopicOffsets: Sendable {
    var offsets: [SinkPartition: Int64] = [:]

    /// The offset of a partition; 0 if absent.
    subscript(topic: PipelineTopic, partition: Int32) -> Int64 {
        offsets[SinkPartition(topic: topic.rawValue, partition: partition)] ?? 0
    }

    mutating func merge(_ other: TopicOffsets) { offsets.merge(other.offsets) { $1 } }

    /// Returns the start positions of `topics` for a reader.
    func positions(of topics: [PipelineTopic], _ access: PipelineAccess) -> [TopicPartition: KafkaPosition] {
        var positions: [TopicPartition: KafkaPosition] = [:]
        for (partition, offset) in offsets {
            guard let topic = PipelineTopic(rawValue: partition.topic), topics.contains(topic) else { continue }
            positions[access.partition(partition.partition, of: topic)] = .offset(offset)
        }
        return positions
    }
}
