import ArgumentParser

extension AsyncParsableCommand {
    /// Runs the command as the process's main program.
    ///
    /// Top-level code would choose the synchronous `main()` of the same name.
    package static func runAsMain() async { await main() }
}
