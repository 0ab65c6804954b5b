import Kafka
import Model
import Processing

/// Where an audit of one run begins: at the ends that the topics had before the run.
///
/// What was made of raw records and trip messages before these ends is not compared.
struct AuditStart: Sendable {
    private let ends: [SinkPartition: Int64]

    /// Looks up where the topics end now.
    ///
    /// From the last topic to the first: whatever is made of records behind the ends found of the raw topic and of
    /// trips comes to lie behind the end found of its own topic.
    init(_ access: PipelineAccess) throws {
        let count = try access.partitionCount(of: AuditSession.topics)
        let lookUp = try TopicEnds(access, partitions: Array(0..<Int32(count)))
        var ends: [SinkPartition: Int64] = [:]
        for topic in AuditSession.topics { ends.merge(try lookUp.find([topic])) { $1 } }
        self.ends = ends
    }

    /// The first offset of the run, or a later one, in a partition of a topic.
    func offset(_ topic: PipelineTopic, _ partition: Int32) -> Int64 {
        ends[SinkPartition(topic: topic.rawValue, partition: partition)] ?? 0
    }

    /// Where each partition of `topics` is read from by who wants the run alone.
    func positions(of topics: [PipelineTopic], _ access: PipelineAccess) -> [TopicPartition: KafkaPosition] {
        var positions: [TopicPartition: KafkaPosition] = [:]
        for (partition, offset) in ends {
            guard let topic = PipelineTopic(rawValue: partition.topic), topics.contains(topic) else { continue }
            positions[TopicPartition(topic: access.name(of: topic), partition: partition.partition)] = .offset(offset)
        }
        return positions
    }
}
