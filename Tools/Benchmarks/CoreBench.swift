import Foundation
import Recordings

/// The core alone, as the program `core-benchmark` measures it: in a process of its own, whose allocations are counted.
struct CoreBench {
    private struct Figure: Decodable {
        var phase: String
        var nanosecondsPerFix: Double
        var allocationsPerFix: Double
    }

    func run() throws -> [BenchResult] {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        guard let program = folder?.appendingPathComponent("core-benchmark"),
            FileManager.default.isExecutableFile(atPath: program.path)
        else { throw InputError("core-benchmark is not there. Build it first: deploy/local/build --all") }
        let data = try BenchTool.run(program.path, ["--json"])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let figures = try decoder.decode([Figure].self, from: data)
        return figures.map { figure in
            var result = BenchResult("core_\(figure.phase)")
            result.values["nanoseconds_per_fix"] = figure.nanosecondsPerFix
            result.allocationsPerUpdate = figure.allocationsPerFix
            if figure.phase == "location" {
                result.target = "at most 1,000 ns, no allocations"
                result.isReached = figure.nanosecondsPerFix <= 1000 && figure.allocationsPerFix < 0.01
            }
            return result
        }
    }
}
