import ArgumentParser
import Runtime

/// The command-line tool.
struct Sightline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline",
        abstract: "Set up, operate and query a Sightline pipeline.",
        discussion: "The settings are the same environment variables as for the workers: see docs/configuration.md.",
        version: BuildInfo.currentVersion,
        subcommands: [
            Topics.self, MigrateCommand.self, Simulate.self, Replay.self, ProcessFiles.self, Tail.self,
            DeadLettersCommand.self, NearestCommand.self, HistoryCommand.self, HealthCommand.self, AuditCommand.self,
            Demo.self, TokenCommand.self,
        ])
}
