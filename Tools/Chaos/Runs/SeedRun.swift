import ArgumentParser
import Foundation

/// `chaos seeds`: a short run for each seed.
struct ChaosSeeds: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seeds", abstract: "Run seeds 1 to N, or one seed, with the faults of each seed.")

    @Option(help: "Run seeds 1 to this number.")
    var seeds: UInt64 = 3

    @Option(help: "Run only this seed.")
    var seed: UInt64?

    @Option(help: "Inject these faults instead of those of the seed.")
    var fault: [FaultKind] = []

    @Option(help: "Repeat the faults of each seed for this many minutes.")
    var minutes: Double?

    @Option(help: "Number of simulated drivers.")
    var drivers = 120

    @Option(help: "Number of workers of each kind at the start.")
    var workers = 1

    @Option(help: "Also write the results to this file, as JSON.", completion: .file())
    var json: String?

    func validate() throws {
        if seeds == 0 || seed == 0 { throw ValidationError("--seeds and --seed must be at least 1.") }
        if !(1...4).contains(workers) { throw ValidationError("--workers must be between 1 and 4.") }
        if drivers < 20 { throw ValidationError("--drivers must be at least 20, so that every partition has drivers.") }
    }

    func run() throws {
        let began = ContinuousClock.now
        StopRequest.listen()
        // 6 s is the minimum that Apache Kafka allows by default.
        let services = try Services(sessionTimeoutSeconds: 6)
        var results: [SeedResult] = []
        for number in seed.map({ $0...$0 }) ?? 1...seeds where !StopRequest.isRaised {
            results.append(run(number, services))
        }
        if let json { try Chaos.write(results, to: json) }
        print("\n\(FaultTable(outcomes: results.flatMap(\.faults)).text)\n")
        let unclean = results.filter { !$0.isClean }
        print(
            "\(results.count) seeds: \(RunAudit(sumOf: results.map(\.audit)).text), in "
                + Text.seconds(began.elapsedSeconds))
        guard unclean.isEmpty else {
            print("Not clean: \(unclean.map { "seed \($0.seed)" }.joined(separator: ", "))")
            throw ExitCode(1)
        }
    }
}

struct SeedResult: Encodable {
    var seed: UInt64
    var faults: [FaultOutcome] = []
    var audit = RunAudit()
    /// Error that ended the run; `nil` if the run finished.
    var error: String?

    var isClean: Bool {
        error == nil && audit.isClean && faults.allSatisfy { $0.violations.isEmpty }
    }

    fileprivate func log(_ text: String) {
        print("seed \(seed): \(text)")
        fflush(nil)
    }
}

extension ChaosSeeds {
    /// Injects the faults of one seed in order, then audits the results.
    private func run(_ seed: UInt64, _ services: Services) -> SeedResult {
        var result = SeedResult(seed: seed)
        services.reset()
        do {
            try run(services, into: &result)
        } catch {
            result.error = "\(error)"
            result.log("aborted: \(error)")
        }
        services.reset()
        return result
    }

    private func run(_ services: Services, into result: inout SeedResult) throws {
        let seed = result.seed
        let plan = fault.isEmpty ? FaultKind.plan(seed: seed) : fault
        let began = ContinuousClock.now
        let pipeline = try ChaosPipeline(
            "chaos_\(seed)", services: services, drivers: drivers, seed: seed, workers: workers)
        result.log(
            "\(drivers) drivers, all workers running after \(Text.seconds(began.elapsedSeconds)); faults: "
                + plan.map(\.rawValue).joined(separator: ", "))
        let injector = FaultInjector(pipeline, seed: seed)
        repeat {
            for kind in plan {
                try pipeline.fleet.wait(seconds: injector.randomSeconds(tenths: 5...20))
                try pipeline.load.check()
                let outcome = try injector.perform(kind)
                result.log(outcome.text)
                for violation in outcome.violations { result.log("VIOLATION: \(violation)") }
                result.faults.append(outcome)
            }
        } while began.elapsedSeconds < (minutes ?? 0) * 60
        result.audit = try pipeline.finish()
        result.log("\(result.audit.text); total time \(Text.seconds(began.elapsedSeconds))")
        for line in result.audit.findings { result.log(line) }
    }
}
