import ArgumentParser
import Runtime

extension AsyncParsableCommand {
    /// Runs the command that `arguments` name, and ends the process if it fails.
    package static func start(_ arguments: [String]) async {
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

    /// Prints an error found while a command runs in the form that the parser uses for its own.
    ///
    /// Otherwise the usage of `sightline` would follow, and not that of the command.
    private static func end(_ command: any ParsableCommand.Type, with error: ValidationError) -> Never {
        let usage = usageString(for: command)
        let name = usage.split(separator: " ").prefix { !"[<".contains($0.first ?? "[") }
        StandardError.write(
            "Error: \(error.message)\nUsage: \(usage)\n  See '\(name.joined(separator: " ")) --help' for more information.\n"
        )
        exit(withError: ExitCode.validationFailure)
    }
}
