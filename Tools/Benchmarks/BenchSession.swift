import Runtime
import SightlineCLI

/// One run of the benchmark, whose parts run in an order that reuses backlogs.
///
/// Extensions in `Measures` and `Gateway` contain the parts.
struct BenchSession {
    let plan: BenchPlan
    let names: Set<BenchName>
    let folder: String
    private let stop = StopSignal()

    init(plan: BenchPlan, names: Set<BenchName>, folder: String) {
        self.plan = plan
        self.names = names
        self.folder = folder
    }

    /// Measures the selected parts; a failed part has a result with an error.
    func run() -> [BenchResult] {
        // Invalid settings fail the parts that use a broker, not `core`.
        let settings = Result { try PipelineAccess() }
        var results: [BenchResult] = []
        func measure(_ part: String, if selected: Set<BenchName>, _ body: () throws -> [BenchResult]) {
            guard !names.isDisjoint(with: selected) else { return }
            progress(part)
            let failures = makeFailures()
            failures.measure(part) { results += try body() }
            results += failures.applied(to: [])
        }
        measure("core", if: [.core]) { try core() }
        measure("throughput", if: [.passthrough, .location, .eta, .broadcast, .history, .position]) {
            try throughput(settings.get())
        }
        measure("peers", if: [.peers]) { try peers(settings.get()) }
        measure("latency", if: [.latency]) { latency() }
        measure("memory", if: [.memory, .restore]) { try memory(settings.get()) }
        measure("scale", if: [.scale]) { try scale(settings.get()) }
        measure("gateway", if: [.gateway]) { try gateway() }
        return results
    }

    /// Returns a collection of failures that fails all further parts after a request to stop.
    func makeFailures() -> PartFailures {
        PartFailures(check: stop.check, report: progress)
    }

    func progress(_ text: String) { StandardError.write("\(text)\n") }
}
