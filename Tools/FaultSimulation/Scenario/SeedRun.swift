/// The simulation of one scenario.
struct SeedRun {
    let scenario: Scenario
    let isTraced: Bool

    func run() -> Result {
        let trace = Trace(prints: isTraced)
        let world = World(seed: scenario.seed, trace: trace)
        return world.run {
            let pipeline = SimulatedPipeline(
                world, partitions: scenario.partitions, memorySeconds: scenario.memorySeconds)
            let fleet = SimulatedFleet(
                drivers: scenario.drivers, seed: scenario.seed, partitions: scenario.partitions, world)
            let injector = FaultInjector(pipeline, fleet)
            fleet.start()
            for kind in WorkerKind.allCases {
                for _ in 0..<(scenario.workers[kind] ?? 1) { pipeline.startWorker(kind) }
            }
            for fault in scenario.faults { injector.schedule(fault) }
            while world.now < scenario.duration {
                world.run(until: min(world.now + .seconds(1), scenario.duration))
                pipeline.restartFailed()
            }
            fleet.stop()
            // The last faults may end after the fleet.
            world.run(until: world.now + .seconds(13))
            pipeline.restartFailed()
            if let report = TopicAudit.run(pipeline, waitSeconds: 120) { pipeline.add(report) }
            pipeline.restartFailed()
            let seconds = Double(world.now) / 1e9
            for worker in pipeline.workers { worker.kill() }
            if !world.run(until: world.now + .seconds(600), { world.processes.allSatisfy(\.hasEnded) }) {
                let names = world.processes.filter { !$0.hasEnded }.map(\.name)
                pipeline.add("Killed processes do not end: \(names.joined(separator: ", "))")
            }
            SimulatedSockets.removeAll()
            return Result(
                violations: pipeline.violations, digest: trace.digest, records: fleet.recordCount,
                virtualSeconds: seconds)
        }
    }
}
