import ArgumentParser
import Foundation

/// `chaos seeds`: a short run for each seed, with the faults that the seed deals.
struct ChaosSeeds: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seeds", abstract: "Run seeds 1 to N, or one seed, with the faults that each deals.")

    @Option(help: "Run the seeds from 1 to this one.")
    var seeds: UInt64 = 3

    @Option(help: "Run this seed alone.")
    var seed: UInt64?

    @Option(help: "Bring about these faults instead of those the seed deals.")
    var fault: [FaultKind] = []

    @Option(help: "Go on with the faults of each seed until so many minutes have passed.")
    var minutes: Double?

    @Option(help: "How many drivers to simulate.")
    var drivers = 120

    @Option(help: "How many workers of each kind to begin with.")
    var workers = 1

    @Option(help: "Write the results here as well, as JSON.", completion: .file())
    var json: String?

    func validate() throws {
        if seeds == 0 || seed == 0 { throw ValidationError("Seeds count from 1.") }
        if !(1...4).contains(workers) { throw ValidationError("--workers lies between 1 and 4.") }
        if drivers < 20 { throw ValidationError("--drivers is at least 20, so that every partition has some.") }
    }

    func run() throws {
        let began = ContinuousClock.now
        StopRequest.listen()
        // The shortest that Apache Kafka allows unless told otherwise.
        let services = try Services(sessionTimeoutSeconds: 6)
        var results: [SeedRun.Result] = []
        for number in seed.map({ $0...$0 }) ?? 1...seeds where !StopRequest.isRaised {
            let plan = fault.isEmpty ? FaultPlan(seed: number).faults : fault
            let run = SeedRun(
                seed: number, plan: plan, drivers: drivers, workers: workers, minutes: minutes, services: services)
            results.append(run.run())
        }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(results).write(to: URL(fileURLWithPath: json))
        }
        print("\n\(FaultTable(outcomes: results.flatMap(\.faults)).text)\n")
        let unclean = results.filter { !$0.isClean }
        print(
            "\(results.count) seeds: \(RunAudit(sumOf: results.map(\.audit)).text), in \(Text.seconds(began.seconds))")
        guard unclean.isEmpty else {
            print("Not clean: \(unclean.map { "seed \($0.seed)" }.joined(separator: ", "))")
            throw ExitCode(1)
        }
    }
}
