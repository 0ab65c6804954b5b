import Domain
import Kafka
import Postgres
import Recordings
import Runtime

/// Access of commands to the topics, with the settings of the workers.
package struct PipelineAccess {
    package let settings: Settings
    package let kafka: KafkaConfiguration

    /// Reads the settings; `bootstrapServers` overrides the one of this name.
    package init(bootstrapServers: String? = nil) throws {
        try self.init(Settings(for: .commandLine), bootstrapServers: bootstrapServers)
    }

    package init(_ settings: Settings, bootstrapServers: String? = nil) {
        self.settings = settings
        var kafka = settings.kafkaConfiguration
        if let bootstrapServers {
            kafka.bootstrapServers = bootstrapServers
            kafka.advice = ""
        }
        self.kafka = kafka
    }

    /// Returns the full name of a topic.
    package func name(of topic: PipelineTopic) -> String { settings.kafka.topicPrefix + topic.rawValue }

    /// The full names of all topics.
    package var names: [String] { PipelineTopic.allCases.map { name(of: $0) } }

    /// Returns all partitions of topics with these partition counts, by full name.
    static func partitions(_ counts: [String: Int]) -> [TopicPartition] {
        counts.flatMap { topic, count in (0..<Int32(count)).map { TopicPartition(topic: topic, partition: $0) } }
    }

    /// Returns a partition of a topic, with the topic's full name.
    func partition(_ number: Int32, of topic: PipelineTopic) -> TopicPartition {
        TopicPartition(topic: name(of: topic), partition: number)
    }

    /// Returns the consumer group of the worker with the processor or sink of this name.
    package func group(of worker: String) -> String { settings.topicNames.group(worker) }

    /// Handler that prints errors of the client library to standard error.
    ///
    /// It omits authentication failures, because the command ends with the same error.
    package static let log: KafkaLogHandler = { line in
        if line.level == .error, line.facility != "AUTH" { StandardError.write("kafka: \(line.text)\n") }
    }

    /// Returns the partition count that `topics` have in common.
    /// - Throws: ``InputError`` if a topic is missing or the counts differ, ``KafkaError`` if no broker responds.
    package func partitionCount(of topics: [PipelineTopic]) throws -> Int {
        try Self.commonCount(partitionCounts(of: topics), advice: "Run `sightline topics recreate`.") ?? 0
    }

    /// Returns the partition count of each topic, by full name.
    /// - Throws: ``InputError`` if a topic is missing, ``KafkaError`` if no broker responds.
    func partitionCounts(of topics: [PipelineTopic]) throws -> [String: Int] {
        let admin = try KafkaAdmin(kafka, log: Self.log)
        let names = topics.map { name(of: $0) }
        let counts = try admin.partitionCounts(of: names)
        let missing = names.filter { counts[$0] == nil }
        guard missing.isEmpty else {
            throw InputError(
                "\(missing.count == 1 ? "Topic" : "Topics") \(missing.joined(separator: ", ")) not found; "
                    + "run `sightline topics create`.")
        }
        return counts
    }

    /// Returns the common partition count of topics; `nil` without topics.
    ///
    /// `counts`: partition counts by full name. `advice`: the last sentence of the error.
    /// - Throws: ``InputError`` if the counts differ.
    static func commonCount(_ counts: [String: Int], advice: String) throws -> Int? {
        guard Set(counts.values).count <= 1 else {
            let list = counts.sorted { $0.key < $1.key }.map { "\($0.key) has \($0.value)" }.joined(separator: ", ")
            throw InputError("The topics have different numbers of partitions: \(list). \(advice)")
        }
        return counts.values.first
    }
}

extension PostgresConfiguration {
    /// Returns a copy without a response timeout; `name` appears in `pg_stat_activity`.
    package func forCommand(_ name: String) -> PostgresConfiguration {
        var result = self
        result.applicationName = name
        result.responseTimeout = nil
        return result
    }
}
