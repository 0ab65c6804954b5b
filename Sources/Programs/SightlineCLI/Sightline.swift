import ArgumentParser
import Observability

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
            EvaluateCommand.self, BenchCommand.self, Demo.self, TokenCommand.self,
        ])

    /// Runs the command that `arguments` name, and ends the process where it fails.
    static func start(_ arguments: [String]) async {
        do {
            var command = try await asyncParseAsRoot(CoordinateArgument.protected(arguments))
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch let error as ValidationError {
                end(type(of: command), with: error)
            }
        } catch {
            exit(withError: error)
        }
    }

    /// Ends as the parser does for a mistake that it finds itself.
    ///
    /// A mistake that shows while a command runs, such as a period that ends before it begins, would otherwise be
    /// followed by the usage of `sightline` and not by that of the command.
    private static func end(_ command: any ParsableCommand.Type, with error: ValidationError) -> Never {
        let usage = usageString(for: command)
        let name = usage.split(separator: " ").drop { $0 != "sightline" }.prefix { !"[<".contains($0.first ?? "[") }
        StandardError.write(
            "Error: \(error.message)\nUsage: \(usage)\n  See '\(name.joined(separator: " ")) --help' for more information.\n"
        )
        exit(withError: ExitCode.validationFailure)
    }
}
