import Simulation

/// What a simulation consists of; the same scenario gives the same run.
struct Scenario {
    var seed: UInt64
    var partitions: Int
    var drivers: Int
    /// Number of workers of each kind at the beginning.
    var workers: [WorkerKind: Int]
    /// Time during which the fleet sends, in nanoseconds.
    var duration: Int64
    /// Time after which a silent driver starts without history, in seconds of stream time.
    var memorySeconds: Int
    var faults: [Fault]

    /// Draws a scenario.
    init(seed: UInt64) {
        var random = RandomSource(seed: seed, index: 0, purpose: 1)
        self.seed = seed
        partitions = 1 + random.index(below: 3)
        drivers = 1 + random.index(below: 8)
        workers = [:]
        for kind in WorkerKind.allCases { workers[kind] = 1 + random.index(below: 2) }
        duration = .seconds(40 + random.index(below: 60))
        memorySeconds = random.chance(0.5) ? 30 : 300
        // A long run of few drivers, in which state expires.
        if random.chance(0.05) {
            duration = .seconds(900 + random.index(below: 600))
            drivers = 1 + random.index(below: 2)
        }
        faults = []
        // Faults close to each other find more than separate ones.
        var (start, end) = (Int64.seconds(2), duration - .seconds(5))
        if random.chance(0.5) {
            start += Int64(random.uniform() * Double(end - start) / 2)
            end = min(end, start + .seconds(1 + random.index(below: 15)))
        }
        for _ in 0..<1 + random.index(below: 6) { faults.append(.random(from: start, to: end, &random)) }
        faults.sort { $0.time < $1.time }
    }
}

extension Scenario: CustomStringConvertible {
    var description: String {
        let workers = WorkerKind.allCases.map { "\(self.workers[$0] ?? 1) \($0.rawValue)" }
        return "Seed \(seed): \(partitions) partitions, \(drivers) drivers, \(workers.joined(separator: ", ")), "
            + "\(duration / .seconds(1)) s, memory \(memorySeconds) s"
            + faults.map { "\n  \($0)" }.joined()
    }
}
