import ArgumentParser
import Kafka
import Model

/// `sightline topics list`: the topics and their partitions.
struct TopicsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the pipeline's topics, their partitions, and how long records are kept.")

    func run() throws {
        let access = try PipelineAccess()
        let counts = try KafkaAdmin(access.kafka, log: PipelineAccess.log)
            .partitionCounts(of: PipelineTopic.allCases.map { access.name(of: $0) })
        let width = PipelineTopic.allCases.map { access.name(of: $0).count }.max() ?? 0
        for topic in PipelineTopic.allCases {
            let name = access.name(of: topic)
            let partitions = counts[name].map { "\($0) partitions" } ?? "missing"
            let kept = topic.retentionHours.map { "kept \($0) h" } ?? "compacted"
            print("\(name)\(String(repeating: " ", count: width - name.count))  \(partitions)  \(kept)")
        }
        let missing = PipelineTopic.allCases.count - counts.count
        if missing > 0 { print("\(missing) missing: `sightline topics create` makes them") }
    }
}
