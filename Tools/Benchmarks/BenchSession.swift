import SightlineCLI

/// One run of the benchmark: what is asked for, in an order that lets backlogs be used again.
struct BenchSession {
    let plan: BenchPlan
    let names: Set<String>
    let folder: String

    private static let throughput: Set<String> = ["passthrough", "location", "eta", "broadcast", "history", "position"]

    /// What could be measured, and for each part that could not, a result that says why.
    ///
    /// - Throws: when the pipeline cannot be reached at all, and when the run is told to end.
    func run(progress: @escaping (String) -> Void) throws -> [BenchResult] {
        var results: [BenchResult] = []
        if names.contains("core") { results += attempt("core", progress) { try CoreBench().run() } }
        let access = try PipelineAccess()
        if !names.isDisjoint(with: Self.throughput) {
            results += attempt("throughput", progress) { try throughput(access, progress) }
        }
        if names.contains("peers") {
            results += attempt("peers", progress) {
                try PeerBench(plan: plan, folder: folder, progress: progress).run(access)
            }
        }
        if names.contains("latency") {
            results += attempt("latency", progress) {
                try LatencyBench(plan: plan, folder: folder, progress: progress).run()
            }
        }
        if !names.isDisjoint(with: ["memory", "restore"]) {
            results += attempt("memory", progress) {
                try MemoryBench(plan: plan, folder: folder, progress: progress).run(access)
            }
        }
        if names.contains("scale") {
            results += attempt("scale", progress) {
                [try ScaleBench(plan: plan, folder: folder, progress: progress).run(access)]
            }
        }
        if names.contains("gateway") {
            results += attempt("gateway", progress) {
                try GatewayBench(plan: plan, folder: folder, progress: progress).run()
            }
        }
        return results
    }

    /// A part that fails costs only itself: the others may have taken minutes.
    private func attempt(
        _ name: String, _ progress: (String) -> Void, _ measure: () throws -> [BenchResult]
    ) -> [BenchResult] {
        progress(name)
        do { return try measure() } catch {
            var result = BenchResult(name)
            result.error = "\(error)"
            return [result]
        }
    }

    private func throughput(_ access: PipelineAccess, _ progress: @escaping (String) -> Void) throws -> [BenchResult] {
        let bench = ProcessorBench(plan: plan, names: names, folder: folder, progress: progress)
        var sinks: [BenchResult] = []
        var results = try bench.run(access, drivers: plan.drivers, repetitions: plan.repetitions, suffix: "") { stage in
            sinks += try self.sinks(on: stage, progress)
        }
        results += try bench.run(access, drivers: plan.manyDrivers, repetitions: 1, suffix: "_many_drivers") { stage in
            guard names.contains("position") else { return }
            let bench = PositionBench(plan: plan, progress: progress)
            sinks.append(
                try bench.run(on: stage, drivers: plan.manyDrivers, repetitions: 1, name: "position_many_drivers"))
        }
        let allocations = try bench.allocations(access)
        for index in results.indices { results[index].allocationsPerUpdate = allocations[results[index].name] }
        return results + sinks
    }

    private func sinks(
        on stage: BenchStage, _ progress: @escaping (String) -> Void
    ) throws -> [BenchResult] {
        var results: [BenchResult] = []
        if names.contains("history") {
            let bench = HistoryBench(plan: plan, folder: folder, progress: progress)
            results.append(try bench.run(on: stage, repetitions: plan.sinkRepetitions))
        }
        if names.contains("position") {
            let bench = PositionBench(plan: plan, progress: progress)
            results.append(
                try bench.run(
                    on: stage, drivers: plan.drivers, repetitions: plan.sinkRepetitions, name: "position"))
        }
        return results
    }
}
