import Kafka
import Model
import Recordings
import Runtime

/// How commands reach the pipeline's topics: the same settings as the workers', with one clear sentence when they fail.
package struct PipelineAccess {
    package let settings: Settings
    package let kafka: KafkaConfiguration

    /// `bootstrapServers`: another cluster than the settings name.
    package init(bootstrapServers: String? = nil) throws {
        settings = try Settings(for: .commandLine)
        var kafka = settings.kafkaConfiguration
        if let bootstrapServers {
            kafka.bootstrapServers = bootstrapServers
            kafka.advice = ""
        }
        self.kafka = kafka
    }

    /// The full name of a topic.
    package func name(of topic: PipelineTopic) -> String { settings.kafka.topicPrefix + topic.rawValue }

    /// The consumer group of the worker that runs the stage or sink of this name.
    package func group(of worker: String) -> String { settings.topicNames.group(worker) }

    /// What the client library complains about goes to standard error; the rest of its talk is of no interest here.
    ///
    /// A refused login ends the command with the same sentence.
    package static let log: KafkaLogHandler = { line in
        if line.level == .error, line.facility != "AUTH" { StandardError.write("kafka: \(line.text)\n") }
    }

    /// The number of partitions that all of `topics` have.
    /// - Throws: ``InputError`` when a topic is missing or their partitions differ, ``KafkaError`` when no broker
    ///   answers.
    package func partitionCount(of topics: [PipelineTopic]) throws -> Int {
        let admin = try KafkaAdmin(kafka, log: Self.log)
        let names = topics.map { name(of: $0) }
        let counts = try admin.partitionCounts(of: names)
        let missing = names.filter { counts[$0] == nil }
        guard missing.isEmpty else {
            throw InputError(
                "\(missing.count == 1 ? "Topic" : "Topics") \(missing.joined(separator: ", ")) not found; "
                    + "`sightline topics create` makes them.")
        }
        let partitions = Set(counts.values)
        guard let partition = partitions.first, partitions.count == 1 else {
            let list = names.map { "\($0) has \(counts[$0] ?? 0)" }.joined(separator: ", ")
            throw InputError("All topics need the same number of partitions, but \(list); recreate them alike.")
        }
        return partition
    }
}
