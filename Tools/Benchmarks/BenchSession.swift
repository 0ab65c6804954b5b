import Runtime
import SightlineCLI

/// One run of the benchmark, whose parts run in an order that reuses backlogs.
///
/// Extensions in `Measures` and `Gateway` contain the parts.
struct BenchSession {
    let plan: BenchPlan
    let names: Set<BenchName>
    let folder: String

    /// Measures the selected parts; a failed part has a result with an error.
    ///
    /// - Throws: if the settings of the pipeline are invalid.
    func run() throws -> [BenchResult] {
        var results: [BenchResult] = []
        func measure(_ part: String, if selected: Set<BenchName>, _ body: () throws -> [BenchResult]) {
            guard !names.isDisjoint(with: selected) else { return }
            progress(part)
            do { results += try body() } catch {
                var result = BenchResult(part)
                result.error = "\(error)"
                results.append(result)
            }
        }
        measure("core", if: [.core]) { try core() }
        let access = try PipelineAccess()
        measure("throughput", if: [.passthrough, .location, .eta, .broadcast, .history, .position]) {
            try throughput(access)
        }
        measure("peers", if: [.peers]) { try peers(access) }
        measure("latency", if: [.latency]) { try latency() }
        measure("memory", if: [.memory, .restore]) { try memory(access) }
        measure("scale", if: [.scale]) { [try scale(access)] }
        measure("gateway", if: [.gateway]) { try gateway() }
        return results
    }

    func progress(_ text: String) { StandardError.write("\(text)\n") }
}
