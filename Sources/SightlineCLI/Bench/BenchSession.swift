/// One run of the benchmark: what is asked for, in an order that lets backlogs be used again.
struct BenchSession {
    let plan: BenchPlan
    let names: Set<String>
    let folder: String

    private static let throughput: Set<String> = ["passthrough", "location", "eta", "broadcast", "history", "position"]

    func run(progress: @escaping (String) -> Void) throws -> [BenchResult] {
        var results: [BenchResult] = []
        if names.contains("core") {
            progress("core")
            results += try CoreBench().run()
        }
        let access = try PipelineAccess()
        if !names.isDisjoint(with: Self.throughput) { results += try throughput(access, progress) }
        if names.contains("latency") {
            results += try LatencyBench(plan: plan, folder: folder, progress: progress).run(access)
        }
        if !names.isDisjoint(with: ["memory", "restore"]) {
            results += try MemoryBench(plan: plan, folder: folder, progress: progress).run(access)
        }
        if names.contains("scale") {
            results.append(try ScaleBench(plan: plan, folder: folder, progress: progress).run(access))
        }
        return results
    }

    private func throughput(_ access: PipelineAccess, _ progress: @escaping (String) -> Void) throws -> [BenchResult] {
        let bench = StageBench(plan: plan, names: names, folder: folder, progress: progress)
        var sinks: [BenchResult] = []
        var results = try bench.run(access, drivers: plan.drivers, repetitions: plan.repetitions, suffix: "") { stage in
            sinks += try self.sinks(on: stage, drivers: plan.drivers, name: "position", progress)
        }
        results += try bench.run(access, drivers: plan.manyDrivers, repetitions: 1, suffix: "_many_drivers") { stage in
            guard names.contains("position") else { return }
            sinks.append(
                try PositionBench(plan: plan, progress: progress).run(
                    on: stage, drivers: plan.manyDrivers, repetitions: 3, name: "position_many_drivers"))
        }
        let allocations = try bench.allocations(access)
        for index in results.indices { results[index].allocationsPerUpdate = allocations[results[index].name] }
        return results + sinks
    }

    private func sinks(
        on stage: BenchStage, drivers: Int, name: String, _ progress: @escaping (String) -> Void
    ) throws -> [BenchResult] {
        var results: [BenchResult] = []
        if names.contains("history") {
            let bench = HistoryBench(plan: plan, folder: folder, progress: progress)
            results.append(try bench.run(on: stage, repetitions: plan.repetitions))
        }
        if names.contains("position") {
            let bench = PositionBench(plan: plan, progress: progress)
            results.append(try bench.run(on: stage, drivers: drivers, repetitions: plan.repetitions, name: name))
        }
        return results
    }
}
