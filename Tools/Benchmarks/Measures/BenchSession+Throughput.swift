import Domain
import Foundation
import SightlineCLI

/// A processor worker, the input topic whose records are counted, and the target of its ratio.
private struct Subject {
    var name: BenchName
    var input: PipelineTopic
    var targetRatio: Double

    var worker: String { "\(name.rawValue)-worker" }

    static let all = [
        Subject(name: .location, input: .rawLocations, targetRatio: 0.60),
        Subject(name: .eta, input: .locations, targetRatio: 0.45),
        Subject(name: .broadcast, input: .tripEtas, targetRatio: 0.45),
    ]
}

/// Throughput of the workers on a backlog, compared with the pass-through of the same repetition.
extension BenchSession {
    func throughput(_ access: PipelineAccess) throws -> [BenchResult] {
        var sinks: [BenchResult] = []
        var results = try processors(access, drivers: plan.drivers, repetitions: plan.repetitions) { testbed in
            if names.contains(.history) { sinks.append(try history(on: testbed)) }
            if names.contains(.position) {
                sinks.append(
                    try position(
                        on: testbed, drivers: plan.drivers, repetitions: plan.sinkRepetitions, name: "position"))
            }
        }
        results += try processors(access, drivers: plan.manyDrivers, repetitions: 1, suffix: "_many_drivers") {
            testbed in
            guard names.contains(.position) else { return }
            sinks.append(
                try position(on: testbed, drivers: plan.manyDrivers, repetitions: 1, name: "position_many_drivers"))
        }
        let allocations = try allocations(access)
        for index in results.indices { results[index].allocationsPerUpdate = allocations[results[index].name] }
        return results + sinks
    }

    /// Measures the processor workers.
    ///
    /// `onVerdicts` is called in the last repetition, when the testbed has verdicts but no records derived from them,
    /// which sinks would also read.
    private func processors(
        _ access: PipelineAccess, drivers: Int, repetitions: Int, suffix: String = "",
        onVerdicts: (Testbed) throws -> Void
    ) throws -> [BenchResult] {
        var ceilings = BenchRuns()
        var runs: [BenchName: BenchRuns] = [:]
        for repetition in 1...repetitions {
            progress("throughput at \(drivers) drivers, \(repetition) of \(repetitions)")
            try Testbed.with(access, plan: plan, name: "throughput", folder: folder) { testbed in
                try testbed.fill(records: plan.records, drivers: drivers, withTrips: needsTrips)
                let ceiling = try testbed.passthrough()
                ceilings.add(ceiling.ratePerSecond, cpuMicroseconds: ceiling.cpuMicrosecondsPerRecord)
                for subject in Subject.all where isNeeded(subject) {
                    let throughput = try testbed.throughput(of: subject.worker, topic: subject.input)
                    runs[subject.name, default: BenchRuns()].add(throughput, ceiling: ceiling.ratePerSecond)
                    if repetition == repetitions, subject.name == .location { try onVerdicts(testbed) }
                }
            }
        }
        return results(ceilings, runs, suffix)
    }

    /// Counts allocations per record in a separate run, because the preloaded library makes the worker slower.
    private func allocations(_ access: PipelineAccess) throws -> [String: Double] {
        guard Subject.all.contains(where: { names.contains($0.name) }),
            let library = BenchTool.fileOfThisBuild("liballocation-count.so")
        else { return [:] }
        progress("allocations")
        var plan = plan
        plan.records = min(plan.records, 300_000)
        return try Testbed.with(access, plan: plan, name: "allocations", folder: folder) { testbed in
            try testbed.fill(records: plan.records, drivers: plan.drivers, withTrips: needsTrips)
            var counts: [String: Double] = [:]
            for subject in Subject.all where isNeeded(subject) {
                let file = "\(folder)/allocations-\(subject.name)"
                let throughput = try testbed.throughput(
                    of: subject.worker, ["LD_PRELOAD": library.path, "ALLOCATION_COUNT_FILE": file],
                    topic: subject.input, allocationFile: file)
                counts[subject.name.rawValue] = throughput.allocationsPerRecord
            }
            return counts
        }
    }

    private var needsTrips: Bool { Subject.all.dropFirst().contains(where: isNeeded) }

    /// Whether this worker, or a worker that needs its outputs, is measured.
    private func isNeeded(_ subject: Subject) -> Bool {
        guard let index = Subject.all.firstIndex(where: { $0.name == subject.name }) else { return false }
        return Subject.all[index...].contains { names.contains($0.name) }
            || (index == 0 && !names.isDisjoint(with: [.history, .position]))
    }

    private func results(_ ceilings: BenchRuns, _ runs: [BenchName: BenchRuns], _ suffix: String) -> [BenchResult] {
        let ceiling = ceilings.result("passthrough\(suffix)")
        var results = [ceiling]
        for subject in Subject.all where names.contains(subject.name) {
            guard var result = runs[subject.name]?.result(subject.name.rawValue + suffix, ceiling: ceiling.name) else {
                continue
            }
            let cpuTarget = subject.name == .location ? ", at most 3.0 µs" : ""
            result.target = "at least \(subject.targetRatio) of \(ceiling.name)\(cpuTarget)"
            let isWithinCPUTarget = subject.name != .location || (result.cpuUsPerUpdate ?? .infinity) <= 3
            result.isReached = (result.ratio ?? 0) >= subject.targetRatio && isWithinCPUTarget
            results.append(result)
        }
        return results
    }
}
