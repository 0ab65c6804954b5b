import Simulation

/// The simulation of one seed.
struct SeedRun {
    struct Result {
        var seed: UInt64
        var violations: [String]
        var digest: UInt64
        var records: Int
        var virtualSeconds: Double
    }

    let seed: UInt64
    let prints: Bool

    func run() -> Result {
        let trace = Trace(prints: prints)
        let world = World(seed: seed, trace: trace)
        return world.run {
            let pipeline = SimulatedPipeline(world, partitions: 1 + world.random.index(below: 3))
            let fleet = SimulatedFleet(
                drivers: 2 + world.random.index(below: 8), seed: world.random.next(),
                partitions: pipeline.partitionCount, world)
            fleet.start()
            for kind in WorkerKind.allCases {
                for _ in 0...world.random.index(below: 2) { pipeline.startWorker(kind) }
            }
            world.run(until: .seconds(60))
            fleet.stop()
            pipeline.restartFailed()
            if let report = TopicAudit.run(world, waitSeconds: 120) { pipeline.add(report) }
            let seconds = Double(world.now) / 1e9
            for worker in pipeline.workers { worker.kill() }
            world.run(until: world.now + .seconds(60)) { world.processes.allSatisfy(\.hasEnded) }
            return Result(
                seed: seed, violations: pipeline.violations, digest: trace.digest, records: fleet.recordCount,
                virtualSeconds: seconds)
        }
    }
}
