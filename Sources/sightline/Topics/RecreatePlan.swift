import Domain
import Kafka
import Recordings

/// The topics that `sightline topics recreate` deletes and creates.
struct RecreatePlan {
    /// The partition counts of existing topics, by full name.
    let existing: [String: Int]
    /// Partitions of every new topic.
    let partitions: Int
    /// The smallest replication factor of existing topics; `nil` if none exists.
    let replicas: Int?
    /// Records of each topic by full name, if known.
    private let records: [String: Int64]
    private let access: PipelineAccess

    /// Queries the brokers; `partitions` overrides the partition count of existing topics.
    ///
    /// If no topic exists, `partitions` and `replication` are needed.
    init(_ access: PipelineAccess, _ admin: KafkaAdmin, partitions: Int?, replication: Int?) throws {
        self.access = access
        existing = try admin.partitionCounts(of: access.names)
        self.partitions = try Self.decidePartitions(existing, partitions)
        if existing.isEmpty, replication == nil {
            throw InputError(
                "No topic exists, so the replication factor is unknown: give --replication. An interrupted run has "
                    + "printed it.")
        }
        replicas = try admin.replicaCounts(of: Array(existing.keys)).values.min()
        // Partitions without a leader must not prevent the command, which can repair them.
        var records: [String: Int64] = [:]
        let partitions = PipelineAccess.partitions(existing)
        for (partition, range) in (try? admin.offsetRanges(of: partitions, timeoutMilliseconds: 15_000)) ?? [:] {
            records[partition.topic, default: 0] += range.high - range.low
        }
        self.records = records
    }

    /// Returns the number of partitions of the new topics.
    /// - Throws: ``InputError`` if it is neither given nor unique among existing topics.
    static func decidePartitions(_ existing: [String: Int], _ requested: Int?) throws -> Int {
        if let requested { return requested }
        let advice = "Give --partitions for the new topics."
        guard let count = try PipelineAccess.commonCount(existing, advice: advice) else {
            throw InputError(
                "No topic exists, so the number of partitions is unknown: give --partitions. An interrupted run has "
                    + "printed it.")
        }
        return count
    }

    /// Lines with the record count of each topic, or that the topic is missing.
    var lines: [String] {
        PipelineTopic.allCases.map { topic in
            let name = access.name(of: topic)
            guard existing[name] != nil else { return "\(name): missing" }
            guard let count = records[name] else { return "\(name): records unknown" }
            // The difference of offsets, which is too high after compaction.
            let bound = topic.retentionHours == nil ? "at most " : ""
            return "\(name): \(bound)\(pluralize(count, "record"))"
        }
    }
}
