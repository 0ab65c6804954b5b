import ArgumentParser
import Domain
import Kafka

/// `sightline topics`: manages the topics of the pipeline.
struct Topics: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list and recreate the pipeline's topics.",
        subcommands: [TopicsCreate.self, TopicsList.self, TopicsRecreate.self])
}

/// `sightline topics list`: lists the topics.
struct TopicsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the topics with their partitions and retention.")

    func run() throws {
        let access = try PipelineAccess()
        let counts = try KafkaAdmin(access.kafka, log: PipelineAccess.log)
            .partitionCounts(of: access.names)
        let width = access.names.map(\.count).max() ?? 0
        for topic in PipelineTopic.allCases {
            let name = access.name(of: topic)
            let partitions = counts[name].map { "\($0) partitions" } ?? "missing"
            let retention = topic.retentionHours.map { "retention \($0) h" } ?? "compacted"
            print("\(name.padded(to: width))  \(partitions)  \(retention)")
        }
        let missing = PipelineTopic.allCases.count - counts.count
        if missing > 0 { print("\(missing) missing: run `sightline topics create`") }
    }
}
