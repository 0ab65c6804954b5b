/// The simulation of one scenario.
struct SeedRun {
    let scenario: Scenario
    let isTraced: Bool

    /// Time in which the workers must have processed everything after the last fault, in nanoseconds.
    private static let recoveryLimit = Int64.seconds(120)

    func run() -> Result {
        let trace = Trace(prints: isTraced)
        let world = World(seed: scenario.seed, trace: trace)
        let pipeline = SimulatedPipeline(
            world, partitions: scenario.partitions, memorySeconds: scenario.memorySeconds)
        var result = Result()
        world.run {
            result.records = send(pipeline)
            check(pipeline)
            result.virtualSeconds = Double(world.now) / 1e9
            end(pipeline)
        }
        result.digest = trace.digest
        result.violations = pipeline.violations + HistoryComparison(pipeline).run()
        return result
    }

    /// Has the fleet send its records while the faults happen; returns the number of records.
    private func send(_ pipeline: SimulatedPipeline) -> Int {
        let world = pipeline.world
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
        world.run(until: max(world.now, scenario.faults.map { $0.time + $0.duration }.max() ?? 0) + .seconds(1))
        return fleet.recordCount
    }

    /// Checks that everything is processed, and compares topics and Redis.
    private func check(_ pipeline: SimulatedPipeline) {
        let world = pipeline.world
        pipeline.restartFailed()
        if let report = TopicAudit.run(pipeline, waitSeconds: Double(Self.recoveryLimit) / 1e9) {
            pipeline.add(report)
        }
        let hasCaughtUp = world.run(until: world.now + Self.recoveryLimit) { HistoryComparison.hasCaughtUp(world) }
        if !hasCaughtUp { pipeline.add("history-worker does not catch up.") }
        pipeline.restartFailed()
    }

    private func end(_ pipeline: SimulatedPipeline) {
        let world = pipeline.world
        for worker in pipeline.workers { worker.kill() }
        if !world.run(until: world.now + .seconds(600), { world.processes.allSatisfy(\.hasEnded) }) {
            let names = world.processes.filter { !$0.hasEnded }.map(\.name)
            pipeline.add("Killed processes do not end: \(names.joined(separator: ", "))")
        }
    }
}
