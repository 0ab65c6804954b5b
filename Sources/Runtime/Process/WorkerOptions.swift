import ArgumentParser

/// Options of all workers; everything else comes from the environment.
package struct WorkerOptions: ParsableArguments {
    @Flag(help: "Validate settings, print them with secrets masked, and exit.")
    package var checkConfig = false

    package init() {}
}

extension AsyncParsableCommand {
    /// Runs the command as the process's main program.
    ///
    /// Top-level code would choose the synchronous `main()` of the same name.
    package static func runAsMain() async { await main() }
}
