import ArgumentParser
import Foundation

/// Command-line interface of the simulation.
struct FaultSimulationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault-simulation",
        abstract: "Run the workers with injected faults in virtual time, and audit the results.",
        discussion: """
            Each seed determines a fleet, the workers and a few faults. The workers are those of the programs; the clock,
            Kafka, Redis and Postgres are simulated, so that a seed always gives the same run. After the faults, every
            worker must process all records, and the results must equal those of a run without faults.

            --seed N runs one seed, with --trace line by line. A seed that fails is reduced to fewer faults and drivers,
            unless --no-reduction is given.

            Exit code: 0 without violations, 1 with violations, 2 if the simulation failed.
            """)

    @Option(help: ArgumentHelp("Number of seeds to run.", valueName: "count"))
    var seeds: UInt64 = 100

    @Option(help: ArgumentHelp("First seed.", valueName: "number"))
    var first: UInt64 = 1

    @Option(help: ArgumentHelp("Run only this seed.", valueName: "number"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("Number of processes; one per processor by default.", valueName: "count"))
    var jobs: Int?

    @Flag(help: "Print what happens; requires --seed.")
    var trace = false

    @Flag(help: "Do not reduce failing seeds.")
    var noReduction = false

    @Flag(help: "Stop at the first failing seed.")
    var failFast = false

    @Flag(help: "Print what the scenarios observe that also run against librdkafka.")
    var scenarios = false

    @Flag(help: .hidden)
    var asJob = false

    func validate() throws {
        if trace, seed == nil { throw ValidationError("--trace requires --seed.") }
        if seeds < 1 { throw ValidationError("--seeds must be at least 1.") }
        if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
    }

    func run() throws {
        if asJob { return try runAsJob() }
        if scenarios { return ScenarioObservations.printAll() }
        if let seed { return try run(seed) }
        var runner = SeedRunner(first: first, count: seeds, jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount)
        runner.stopsAtFailure = failFast
        let failed = try runner.run()
        print(runner.summary)
        if !noReduction, let seed = failed.min() {
            print("\nReducing seed \(seed):")
            print(ScenarioReduction(Scenario(seed: seed)).run())
        }
        if !failed.isEmpty { throw ExitCode(1) }
    }

    private func run(_ seed: UInt64) throws {
        let scenario = Scenario(seed: seed)
        print(scenario)
        let result = SeedRun(scenario: scenario, isTraced: trace).run()
        print(result.description)
        guard !result.violations.isEmpty else { return }
        if !noReduction, !trace { print("\nReduced:\n\(ScenarioReduction(scenario).run())") }
        throw ExitCode(1)
    }

    /// Runs seeds for the parent process: one line per seed.
    private func runAsJob() throws {
        for seed in first..<first + seeds {
            let result = SeedRun(scenario: Scenario(seed: seed), isTraced: false).run()
            print("\(seed) \(result.line)")
            if failFast, !result.violations.isEmpty { return }
        }
    }
}
