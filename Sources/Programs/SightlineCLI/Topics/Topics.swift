import ArgumentParser

/// `sightline topics`: the topics of the pipeline.
struct Topics: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create and list the pipeline's topics.", subcommands: [TopicsCreate.self, TopicsList.self])
}
