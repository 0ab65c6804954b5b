import Foundation

/// A long run under load, with one fault after the other.
struct SoakRun {
    let minutes: Double
    let rate: Int
    let seed: UInt64
    let kinds: [FaultKind]
    let interval: Double
    let services: Services

    /// A lag has to be back to nothing by then.
    private static let mostRecoverySeconds = 15.0
    /// How long before each fault the lag at rest is watched.
    private static let restSeconds = 5.0
    /// State is kept for five minutes, so memory grows as long; a short run has to do with less.
    private var warmUpMinutes: Double { min(6, minutes / 3) }
    /// Fixes per second of one simulated driver, measured.
    private static let fixesPerDriver = 0.95

    // Not among them: what takes more than one change of the group; a broker that is silent for longer than sessions
    // last, after which requests have to time out before workers can join anew; a failover, after which the rest would
    // hit a server that is not used; and the loss of Redis, from which the recovery takes as long as the topics are.
    static let kinds: [FaultKind] = [
        .poison, .postgresRestart, .kill, .slowRedis, .postgresCut, .redisRestart, .zombie,
        .brokerOutage, .postgresFull, .deadLettersRefused, .terminate, .postgresLocked, .slowPostgres,
    ]

    func run() throws -> SoakResult {
        services.heal()
        let drivers = Int(Double(rate) / Self.fixesPerDriver)
        let arena = try Arena("soak_\(seed)", services: services, drivers: drivers, seed: seed, pace: .sparing)
        let watch = ResourceMonitor(warmUpMinutes: warmUpMinutes, leastMinutes: minutes / 6)
        arena.fleet.onTend = { watch.note($0) }
        let began = ContinuousClock.now
        let saboteur = arena.saboteur(seed: seed)
        var result = SoakResult(minutes: minutes, rate: rate, seed: seed)
        say(began, "\(drivers) drivers; the load runs")
        // The largest backlog there is belongs to the warm-up: what batches need at most is kept from then on.
        var cards = kinds.filter { $0 == .brokerOutage }
        while began.seconds < minutes * 60 {
            try arena.fleet.wait(seconds: min(interval, max(1, minutes * 60 - began.seconds)) - Self.restSeconds)
            try arena.lag.watchRest(seconds: Self.restSeconds)
            try arena.load.check()
            guard began.seconds < minutes * 60 - 60 else { continue }
            if cards.isEmpty { cards = kinds.shuffled(using: &saboteur.generator) }
            var outcome = try saboteur.perform(cards.removeLast())
            if let seconds = outcome.recoverySeconds, seconds > Self.mostRecoverySeconds {
                outcome.violations.append("recovery took more than \(Text.seconds(Self.mostRecoverySeconds))")
            }
            result.faults.append(outcome)
            say(began, outcome.text)
            for violation in outcome.violations { say(began, "VIOLATION: \(violation)") }
            say(began, figures(of: arena.fleet))
        }
        result.workers = watch.verdicts
        result.audit = try arena.finish()
        return result
    }

    /// Memory and descriptors of all workers, in one line.
    private func figures(of fleet: Fleet) -> String {
        WorkerKind.allCases.map { kind in
            let all = fleet.running(kind).compactMap { ProcessFigures(of: $0.id) }
            let list = all.map { "\($0.residentKibibytes >> 10) MiB \($0.fileDescriptors) fds" }
            return "\(kind.rawValue) \(list.joined(separator: " + "))"
        }.joined(separator: ", ")
    }

    private func say(_ began: ContinuousClock.Instant, _ text: String) {
        print("soak \(Int(began.seconds) / 60):\(String(format: "%02d", Int(began.seconds) % 60)): \(text)")
        fflush(nil)
    }
}
