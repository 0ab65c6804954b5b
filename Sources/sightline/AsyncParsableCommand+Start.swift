import ArgumentParser
import Runtime

extension AsyncParsableCommand {
    /// Parses and runs the command; exits the process if it fails.
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

    /// Prints a validation error that a running command threw, with the usage of that command.
    ///
    /// ArgumentParser would print the usage of `sightline`.
    private static func end(_ command: any ParsableCommand.Type, with error: ValidationError) -> Never {
        let usage = usageString(for: command)
        let name = usage.split(separator: " ").prefix { !"[<".contains($0.first ?? "[") }
        StandardError.write(
            "Error: \(error.message)\nUsage: \(usage)\n  See '\(name.joined(separator: " ")) --help' for more information.\n"
        )
        exit(withError: ExitCode.validationFailure)
    }
}
