import ArgumentParser
import Domain
import Kafka
import Recordings

struct TopicsCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create missing topics; existing ones are not changed.",
        discussion: """
            All topics need the same number of partitions, because a derived record has the partition number of its \
            source record. The number of partitions limits the instances of each worker. It cannot be changed later \
            without losing the order of each driver's records: choose it with room to grow.

            With a replication factor of 3 or more, min.insync.replicas is 2, so that acknowledged records survive the \
            loss of a broker. On driver.locations.raw and trips, brokers reject records dated more than an hour ahead \
            (message.timestamp.after.max.ms, Kafka 3.6 and later). The command prints settings of existing topics that \
            differ; change them with `kafka-configs --alter --entity-type topics`.
            """)

    @Option(help: "Partitions of every topic; by default as many as the existing topics have, or 6.")
    var partitions: Int?

    @OptionGroup var new: NewTopicOptions

    @OptionGroup var wait: WaitOptions

    func validate() throws { try NewTopicOptions.validate(partitions: partitions) }

    func run() throws {
        let access = try PipelineAccess()
        for line in try wait.retry(while: TopicCreation.isTransient, { try create(access) }) { print(line) }
    }

    /// Creates missing topics; returns lines to print.
    private func create(_ access: PipelineAccess) throws -> [String] {
        // With --wait, only the error of each attempt is printed, not the log of the client library.
        let silent: KafkaLogHandler = { _ in }
        let admin = try KafkaAdmin(access.kafka, log: wait.seconds > 0 ? silent : PipelineAccess.log)
        let existing = try admin.partitionCounts(of: access.names)
        let partitions = try decidePartitions(existing)
        let missing = PipelineTopic.allCases.filter { existing[access.name(of: $0)] == nil }
        let others = PipelineTopic.allCases.filter { !missing.contains($0) }
        let creation = TopicCreation(access, admin, new)
        let (created, notes) = try creation.create(missing, partitions: partitions)
        return notes + created.map { "created \($0) with \(partitions) partitions" }
            + differences(of: others, access, admin, creation.minimumInSync)
            + ["\(existing.count) topics existed, \(created.count) created"]
    }

    /// Compares the settings of existing topics with those of new ones; returns lines to print.
    private func differences(
        of topics: [PipelineTopic], _ access: PipelineAccess, _ admin: KafkaAdmin, _ minimumInSync: Int
    ) -> [String] {
        guard !topics.isEmpty else { return [] }
        let actual: [String: [String: String]]
        do {
            actual = try admin.settings(of: topics.map { access.name(of: $0) })
        } catch {
            return ["The settings of existing topics cannot be read: \(error)"]
        }
        let short = Self.retentionAdvice(actual) { access.name(of: $0) }
        let others = topics.flatMap { topic in
            let name = access.name(of: topic)
            let settings = actual[name] ?? [:]
            var expected = topic.brokerSettings(minimumInSync: minimumInSync)
            // A higher minimum is not reported, because the topic's replication factor may be above the default.
            if new.minInsyncReplicas == nil, settings["min.insync.replicas"].flatMap({ Int($0) }) ?? 0 > minimumInSync {
                expected["min.insync.replicas"] = nil
            }
            return Self.differences(expected: expected, actual: settings).map { "\(name): \($0)" }
        }
        return short + others
    }

    /// Describes the settings that differ, ordered by name; omits settings that the broker does not have.
    static func differences(expected: [String: String], actual: [String: String]) -> [String] {
        expected.sorted { $0.key < $1.key }.compactMap { setting, expected in
            guard let value = actual[setting], value != expected else { return nil }
            return "\(setting) is \(value), not \(expected); it is not changed"
        }
    }

    /// Returns commands for topics whose retention is shorter than that of the raw topic.
    ///
    /// `settings`: the settings of topics by full name.
    static func retentionAdvice(
        _ settings: [String: [String: String]], name: (PipelineTopic) -> String
    ) -> [String] {
        var retention: [PipelineTopic: Int64] = [:]
        for topic in PipelineTopic.allCases {
            retention[topic] = settings[name(topic)]?[PipelineTopic.retentionSetting].flatMap { Int64($0) }
        }
        let raw = retention[.rawLocations].map { "\($0)" } ?? ""
        return PipelineTopic.retainedTooShort(retention).map { topic in
            "The retention of \(name(topic)) is shorter than that of \(name(.rawLocations)): run `kafka-configs --alter "
                + "--entity-type topics --entity-name \(name(topic)) --add-config \(PipelineTopic.retentionSetting)=\(raw)`"
        }
    }

    private func decidePartitions(_ existing: [String: Int]) throws -> Int {
        let advice = "Delete the topics with the wrong number (and their records), and run this again."
        guard let count = try PipelineAccess.commonCount(existing, advice: advice) else { return partitions ?? 6 }
        if let partitions, partitions != count {
            throw InputError(
                "Existing topics have \(count) partitions, not \(partitions). Omit --partitions to use the same number, "
                    + "or set SIGHTLINE_TOPIC_PREFIX for a separate set of topics.")
        }
        return count
    }
}
