import Domain
import Kafka
import Processing

/// The start of a run: the ends that the topics had before it.
///
/// Results of records before these ends are not audited.
struct AuditStart: Sendable {
    private let ends: [SinkPartition: Int64]

    /// Finds the current ends of the topics.
    ///
    /// From the last topic to the first, so that the results of raw records and trip messages after their ends are after
    /// the ends of the other topics.
    init(_ access: PipelineAccess) throws {
        let count = try access.partitionCount(of: AuditSession.topics)
        let lookUp = try TopicEnds(access, partitions: Array(0..<Int32(count)))
        var ends: [SinkPartition: Int64] = [:]
        for topic in AuditSession.topics { ends.merge(try lookUp.find([topic])) { $1 } }
        self.ends = ends
    }

    /// The first offset of the run in a partition of a topic.
    func offset(_ topic: PipelineTopic, _ partition: Int32) -> Int64 {
        ends[SinkPartition(topic: topic.rawValue, partition: partition)] ?? 0
    }

    /// The start positions of `topics` for a reader of the run.
    func positions(of topics: [PipelineTopic], _ access: PipelineAccess) -> [TopicPartition: KafkaPosition] {
        var positions: [TopicPartition: KafkaPosition] = [:]
        for (partition, offset) in ends {
            guard let topic = PipelineTopic(rawValue: partition.topic), topics.contains(topic) else { continue }
            positions[TopicPartition(topic: access.name(of: topic), partition: partition.partition)] = .offset(offset)
        }
        return positions
    }
}
