import Domain
import Foundation
import SightlineCLI

/// A processor worker, its topics, and the target of its ratio.
private struct Subject {
    var name: BenchName
    /// The topic whose records are counted.
    var input: PipelineTopic
    var output: PipelineTopic
    var targetRatio: Double

    var worker: String { "\(name.rawValue)-worker" }

    static let all = [
        Subject(name: .location, input: .rawLocations, output: .locations, targetRatio: 0.60),
        Subject(name: .eta, input: .locations, output: .tripEtas, targetRatio: 0.45),
        Subject(name: .broadcast, input: .tripEtas, output: .riderUpdates, targetRatio: 0.45),
    ]
}

/// Kind of backlog; `suffix` distinguishes the names of its results.
private struct BacklogKind {
    var drivers: Int
    var repetitions: Int
    var suffix: String

    /// Begins the error of a repetition; `nil` for the only one.
    func detail(_ repetition: Int) -> String? { repetitions > 1 ? "repetition \(repetition)" : nil }

    func name(_ part: BenchName) -> String { part.rawValue + suffix }
}

/// Measurements of the workers on one kind of backlog, over the repetitions.
private struct ProcessorRuns {
    var ceilings = BenchRuns()
    var workers: [BenchName: BenchRuns] = [:]
    /// Results of the sinks and of the sizes on the broker, from the last repetition.
    var others: [BenchResult] = []
}

/// Throughput of the workers on a backlog, compared with the pass-through of the same repetition.
extension BenchSession {
    func throughput(_ access: PipelineAccess) -> [BenchResult] {
        var results: [BenchResult] = []
        for kind in [
            BacklogKind(drivers: plan.drivers, repetitions: plan.repetitions, suffix: ""),
            BacklogKind(drivers: plan.manyDrivers, repetitions: 1, suffix: "_many_drivers"),
        ] where !names.isDisjoint(with: Self.parts(of: kind)) {
            results += processors(access, kind)
        }
        let failures = makeFailures()
        failures.measure("allocations") {
            for (name, allocations) in try allocations(access, failures) {
                guard let index = results.firstIndex(where: { $0.name == name }) else { continue }
                results[index].allocationsPerUpdate = allocations
            }
        }
        return failures.applied(to: results)
    }

    private func processors(_ access: PipelineAccess, _ kind: BacklogKind) -> [BenchResult] {
        let failures = makeFailures()
        var runs = ProcessorRuns()
        for repetition in 1...kind.repetitions {
            progress("throughput at \(kind.drivers) drivers, \(repetition) of \(kind.repetitions)")
            let backlog = "backlog\(kind.suffix)"
            let isFilled = failures.measure(backlog, at: kind.detail(repetition)) {
                try Testbed.with(access, plan: plan, name: "throughput", folder: folder) { testbed in
                    try testbed.fill(records: plan.records, drivers: kind.drivers, withTrips: needsTrips)
                    measureWorkers(on: testbed, kind, repetition, failures, into: &runs)
                }
            }
            if !isFilled { failures.skip(Self.parts(of: kind).filter(names.contains).map(kind.name), because: backlog) }
        }
        return failures.applied(to: results(runs, kind) + runs.others)
    }

    /// Measures one repetition; a worker whose input is incomplete, because another one failed, is not measured.
    private func measureWorkers(
        on testbed: Testbed, _ kind: BacklogKind, _ repetition: Int, _ failures: PartFailures,
        into runs: inout ProcessorRuns
    ) {
        let detail = kind.detail(repetition)
        var ceiling: Double?
        failures.measure(kind.name(.passthrough), at: detail) {
            let (rate, cpu) = try testbed.passthrough()
            runs.ceilings.add(rate, cpuMicroseconds: cpu)
            ceiling = rate
        }
        var written: [PipelineTopic] = [.rawLocations]
        for subject in Subject.all where isNeeded(subject) {
            let isMeasured = failures.measure(kind.name(subject.name), at: detail) {
                let throughput = try testbed.throughput(of: subject.worker, topic: subject.input)
                runs.workers[subject.name, default: BenchRuns()].add(throughput, ceiling: ceiling)
            }
            guard isMeasured else {
                let others = Self.dependents(of: subject, kind).filter(names.contains)
                failures.skip(others.map(kind.name), because: kind.name(subject.name))
                break
            }
            written.append(subject.output)
            // Now the testbed has verdicts, but no records derived from them, which sinks would also read.
            if repetition == kind.repetitions, subject.name == .location {
                measureSinks(on: testbed, kind, failures, into: &runs.others)
            }
        }
        guard repetition == kind.repetitions else { return }
        let sizes = "broker_bytes\(kind.suffix)"
        failures.measure(sizes) { runs.others.append(try brokerBytes(of: written, on: testbed, name: sizes)) }
    }

    private func measureSinks(
        on testbed: Testbed, _ kind: BacklogKind, _ failures: PartFailures, into results: inout [BenchResult]
    ) {
        let sinks = Self.sinks(of: kind).filter(names.contains)
        if sinks.contains(.history) {
            failures.measure(kind.name(.history)) { results.append(try history(on: testbed)) }
        }
        if sinks.contains(.position) {
            let name = kind.name(.position)
            let repetitions = min(kind.repetitions, plan.sinkRepetitions)
            failures.measure(name) {
                results.append(
                    try position(on: testbed, drivers: kind.drivers, repetitions: repetitions, name: name))
            }
        }
    }

    /// Counts allocations per record in a separate run, because the preloaded library makes the worker slower.
    private func allocations(_ access: PipelineAccess, _ failures: PartFailures) throws -> [String: Double] {
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
                let isMeasured = failures.measure("allocations") {
                    let throughput = try testbed.throughput(
                        of: subject.worker, ["LD_PRELOAD": library.path, "ALLOCATION_COUNT_FILE": file],
                        topic: subject.input, allocationFile: file)
                    counts[subject.name.rawValue] = throughput.allocationsPerRecord
                }
                guard isMeasured else { break }
            }
            return counts
        }
    }

    private static func sinks(of kind: BacklogKind) -> [BenchName] {
        kind.suffix.isEmpty ? [.history, .position] : [.position]
    }

    /// The parts that are measured on a kind of backlog.
    private static func parts(of kind: BacklogKind) -> [BenchName] {
        [.passthrough] + Subject.all.map(\.name) + sinks(of: kind)
    }

    /// The parts that read outputs of a worker, directly or through another worker.
    private static func dependents(of subject: Subject, _ kind: BacklogKind) -> [BenchName] {
        let later = Subject.all.drop { $0.name != subject.name }.dropFirst().map(\.name)
        return subject.output == .locations ? later + sinks(of: kind) : later
    }

    private var needsTrips: Bool { Subject.all.dropFirst().contains(where: isNeeded) }

    /// Whether this worker, or a worker that needs its outputs, is measured.
    private func isNeeded(_ subject: Subject) -> Bool {
        guard let index = Subject.all.firstIndex(where: { $0.name == subject.name }) else { return false }
        return Subject.all[index...].contains { names.contains($0.name) }
            || (index == 0 && !names.isDisjoint(with: [.history, .position]))
    }

    private func results(_ runs: ProcessorRuns, _ kind: BacklogKind) -> [BenchResult] {
        let ceiling = runs.ceilings.result(kind.name(.passthrough))
        var results = runs.ceilings.isEmpty ? [] : [ceiling]
        for subject in Subject.all where names.contains(subject.name) {
            guard var result = runs.workers[subject.name]?.result(kind.name(subject.name), ceiling: ceiling.name) else {
                continue
            }
            // Without a pass-through there is no ratio.
            if let ratio = result.ratio {
                let cpuTarget = subject.name == .location ? ", at most 3.0 µs" : ""
                result.target = "at least \(subject.targetRatio) of \(ceiling.name)\(cpuTarget)"
                let isWithinCPUTarget = subject.name != .location || (result.cpuUsPerUpdate ?? .infinity) <= 3
                result.isReached = ratio >= subject.targetRatio && isWithinCPUTarget
            }
            results.append(result)
        }
        return results
    }
}
