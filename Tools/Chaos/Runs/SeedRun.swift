import Foundation

/// One seed: an arena, its faults one after the other, and the audit.
struct SeedRun {
    /// How a seed went.
    struct Result: Encodable {
        var seed: UInt64
        var faults: [FaultOutcome] = []
        var audit = RunAudit()
        /// Why the run could not be finished; `nil` when it was.
        var error: String?

        var isClean: Bool {
            error == nil && audit.isClean && faults.allSatisfy { $0.violations.isEmpty }
        }
    }

    let seed: UInt64
    let plan: [FaultKind]
    let drivers: Int
    /// Of each kind, at the beginning.
    let workers: Int
    /// Goes on with the same faults until so much time has passed; `nil` for once through.
    let minutes: Double?
    let services: Services

    func run() -> Result {
        var result = Result(seed: seed)
        services.heal()
        do {
            try run(into: &result)
        } catch {
            result.error = "\(error)"
            say("cannot go on: \(error)")
        }
        services.heal()
        return result
    }

    private func run(into result: inout Result) throws {
        let began = ContinuousClock.now
        // What is upgraded was installed by the older build.
        let older = plan.contains(.rollingUpgrade) ? services.otherBuild.map { Build(programs: $0) } : nil
        let arena = try Arena(
            "chaos_\(seed)", services: services, drivers: drivers, seed: seed, workers: workers, build: older ?? .own,
            // Those of an older build may publish what this build's gateway does not know.
            riders: older == nil)
        say(
            "\(drivers) drivers, all workers run after \(Text.seconds(began.seconds)); faults: "
                + plan.map(\.rawValue).joined(separator: ", "))
        let saboteur = arena.saboteur(seed: seed)
        repeat {
            for kind in plan {
                try arena.fleet.wait(seconds: Double(saboteur.random(5...20)) / 10)
                try arena.load.check()
                let outcome = try saboteur.perform(kind)
                say(outcome.text)
                for violation in outcome.violations { say("VIOLATION: \(violation)") }
                result.faults.append(outcome)
            }
        } while began.seconds < (minutes ?? 0) * 60
        result.audit = try arena.finish(mixedBuilds: older != nil)
        say("\(result.audit.text); \(Text.seconds(began.seconds)) in all")
        for line in result.audit.findings { say(line) }
    }

    private func say(_ text: String) {
        print("seed \(seed): \(text)")
        fflush(nil)
    }
}
