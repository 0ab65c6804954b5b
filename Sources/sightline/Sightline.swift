import ArgumentParser
import Runtime

/// The tool beside the workers.
struct Sightline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline",
        abstract: "Sets up, feeds, watches and asks a Sightline pipeline.",
        discussion: "Addresses come from the environment, as for the workers: see docs/configuration.md.",
        version: BuildInfo.currentVersion,
        subcommands: [
            Topics.self, MigrateCommand.self, Simulate.self, Replay.self, ProcessFiles.self, Tail.self,
            DeadLettersCommand.self, NearestCommand.self, HistoryCommand.self, HealthCommand.self, AuditCommand.self,
            Demo.self, TokenCommand.self,
        ])
}
