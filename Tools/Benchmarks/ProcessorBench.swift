import Domain
import Foundation
import SightlineCLI

/// The three stage workers on a backlog, each beside the pass-through of the same run.
struct ProcessorBench {
    /// A worker, the topic whose records it is measured by, and the target.
    struct Subject {
        var name: String
        var worker: String
        var input: PipelineTopic
        var targetRatio: Double
    }

    static let subjects = [
        Subject(name: "location", worker: "location-worker", input: .rawLocations, targetRatio: 0.60),
        Subject(name: "eta", worker: "eta-worker", input: .locations, targetRatio: 0.45),
        Subject(name: "broadcast", worker: "broadcast-worker", input: .tripEtas, targetRatio: 0.45),
    ]

    let plan: BenchPlan
    let names: Set<String>
    let folder: String
    let progress: (String) -> Void

    /// Runs the repetitions; `onVerdicts` gets the last stage when its verdicts are there, and nothing made of them.
    func run(
        _ access: PipelineAccess, drivers: Int, repetitions: Int, suffix: String,
        onVerdicts: (BenchStage) throws -> Void
    ) throws -> [BenchResult] {
        var ceilings = BenchRuns()
        var runs: [String: BenchRuns] = [:]
        for repetition in 1...repetitions {
            progress("throughput at \(drivers) drivers, \(repetition) of \(repetitions)")
            try BenchStage.with(access, plan: plan, name: "throughput", folder: folder) { stage in
                try stage.fill(records: plan.records, drivers: drivers, withTrips: needsTrips)
                let ceiling = try stage.passthrough()
                ceilings.add(ceiling.ratePerSecond, cpuMicroseconds: ceiling.cpuMicrosecondsPerRecord)
                for subject in Self.subjects where isNeeded(subject) {
                    let throughput = try stage.throughput(of: subject.worker, topic: subject.input)
                    runs[subject.name, default: BenchRuns()].add(throughput, ceiling: ceiling.ratePerSecond)
                    // Before arrivals and rider updates are there: sinks would take them as well.
                    if repetition == repetitions, subject.name == "location" { try onVerdicts(stage) }
                }
            }
        }
        return results(ceilings, runs, suffix)
    }

    /// Calls for memory per record, counted by a library that is preloaded: in a run of its own, which it slows down.
    func allocations(_ access: PipelineAccess) throws -> [String: Double] {
        guard Self.subjects.contains(where: { names.contains($0.name) }), let library = AllocationLibrary.path else {
            return [:]
        }
        progress("allocations")
        var plan = plan
        plan.records = min(plan.records, 300_000)
        return try BenchStage.with(access, plan: plan, name: "allocations", folder: folder) { stage in
            try stage.fill(records: plan.records, drivers: plan.drivers, withTrips: needsTrips)
            var counts: [String: Double] = [:]
            for subject in Self.subjects where isNeeded(subject) {
                let file = "\(folder)/allocations-\(subject.name)"
                let throughput = try stage.throughput(
                    of: subject.worker, ["LD_PRELOAD": library, "ALLOCATION_COUNT_FILE": file], topic: subject.input,
                    allocationFile: file)
                counts[subject.name] = throughput.allocationsPerRecord
            }
            return counts
        }
    }

    private var needsTrips: Bool { Self.subjects.dropFirst().contains(where: isNeeded) }

    /// Later workers read what earlier ones wrote.
    private func isNeeded(_ subject: Subject) -> Bool {
        guard let place = Self.subjects.firstIndex(where: { $0.name == subject.name }) else { return false }
        return Self.subjects[place...].contains { names.contains($0.name) }
            || (place == 0 && !names.isDisjoint(with: ["history", "position"]))
    }

    private func results(_ ceilings: BenchRuns, _ runs: [String: BenchRuns], _ suffix: String) -> [BenchResult] {
        let ceiling = ceilings.result("passthrough\(suffix)")
        var results = [ceiling]
        for subject in Self.subjects where names.contains(subject.name) {
            guard var result = runs[subject.name]?.result(subject.name + suffix, ceiling: ceiling.name) else {
                continue
            }
            let cpuTarget = subject.name == "location" ? ", at most 3.0 µs" : ""
            result.target = "at least \(subject.targetRatio) of \(ceiling.name)\(cpuTarget)"
            let isCheap = subject.name != "location" || (result.cpuUsPerUpdate ?? .infinity) <= 3
            result.isReached = (result.ratio ?? 0) >= subject.targetRatio && isCheap
            results.append(result)
        }
        return results
    }
}
