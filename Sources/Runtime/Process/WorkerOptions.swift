import ArgumentParser

/// The options that all workers understand; everything else comes from the environment.
package struct WorkerOptions: ParsableArguments {
    @Flag(help: "Check the settings, print what is in force with secrets masked, and exit.")
    package var checkConfig = false

    package init() {}
}
