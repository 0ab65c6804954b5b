import ArgumentParser

/// `sightline topics`: the topics of the pipeline.
struct Topics: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list and recreate the pipeline's topics.",
        subcommands: [TopicsCreate.self, TopicsList.self, TopicsRecreate.self])
}
