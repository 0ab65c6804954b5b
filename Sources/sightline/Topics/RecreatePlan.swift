import Kafka
import Model
import Recordings

/// What `sightline topics recreate` is about to do with the topics.
struct RecreatePlan {
    /// The partition counts of the topics that exist, by full name.
    let existing: [String: Int]
    /// Partitions of every new topic.
    let partitions: Int
    /// Copies of each record of the topics that exist, the smallest number; `nil` where none exists.
    let replicas: Int?
    /// How many records each topic holds, by full name; topics that brokers do not tell of are absent.
    private let records: [String: Int64]
    private let access: PipelineAccess

    /// Asks the brokers.
    ///
    /// `partitions`, `replication`: as the user said; `nil` takes those that the topics have.
    init(_ access: PipelineAccess, _ admin: KafkaAdmin, partitions: Int?, replication: Int?) throws {
        self.access = access
        let names = PipelineTopic.allCases.map { access.name(of: $0) }
        existing = try admin.partitionCounts(of: names)
        self.partitions = try Self.decidePartitions(existing, partitions)
        if existing.isEmpty, replication == nil {
            throw InputError(
                "No topic of the pipeline exists, so how many copies of each record they had is not known: give "
                    + "--replication. Where an earlier run was interrupted, it has printed the number.")
        }
        replicas = try admin.replicaCounts(of: Array(existing.keys)).values.min()
        let all = existing.flatMap { topic, count in
            (0..<Int32(count)).map { TopicPartition(topic: topic, partition: $0) }
        }
        // A partition without a leader is a reason to create the topics anew, and no reason not to.
        var records: [String: Int64] = [:]
        for (partition, marks) in (try? admin.watermarks(of: all)) ?? [:] {
            records[partition.topic, default: 0] += marks.high - marks.low
        }
        self.records = records
    }

    /// How many partitions the new topics have.
    ///
    /// - Throws: ``InputError`` where the topics that exist do not tell.
    static func decidePartitions(_ existing: [String: Int], _ wanted: Int?) throws -> Int {
        if let wanted { return wanted }
        let counts = Set(existing.values)
        if let count = counts.first, counts.count == 1 { return count }
        guard !counts.isEmpty else {
            throw InputError(
                "No topic of the pipeline exists, so how many partitions they had is not known: give --partitions. Where "
                    + "an earlier run was interrupted, it has printed the number.")
        }
        let list = existing.sorted { $0.key < $1.key }.map { "\($0.key) has \($0.value)" }.joined(separator: ", ")
        throw InputError(
            "The topics have different numbers of partitions: \(list). Give --partitions to say how many the new ones "
                + "have.")
    }

    /// The plan, a line for each topic.
    var lines: [String] {
        PipelineTopic.allCases.map { topic in
            let name = access.name(of: topic)
            guard existing[name] != nil else { return "\(name): missing" }
            guard let count = records[name] else { return "\(name): records unknown" }
            // Offsets are counted: compaction leaves gaps.
            let bound = topic.retentionHours == nil ? "at most " : ""
            return "\(name): \(bound)\(count) \(count == 1 ? "record" : "records")"
        }
    }
}
