import Evaluation
import SightlineCLI

/// The results as lines of text.
enum BenchTable {
    static func text(of results: [BenchResult]) -> String {
        var table = TextTable(
            title: "Medians", columns: ["name", "per second", "ratio", "CPU µs", "allocations", "other", "target"])
        for result in results {
            let values = result.values.sorted { $0.key < $1.key }.map { "\($0.key) \(number($0.value))" }
            let target = result.target.map { "\(result.isReached == true ? "reached" : "MISSED"): \($0)" }
            let verdict = result.error.map { "FAILED: \($0)" } ?? target
            table.add([
                result.name, result.ratePerSecond.map(number) ?? "", result.ratio.map { rounded($0, 100) } ?? "",
                result.cpuUsPerUpdate.map { rounded($0, 100) } ?? "",
                result.allocationsPerUpdate.map { rounded($0, 1000) } ?? "", values.joined(separator: ", "),
                verdict ?? "",
            ])
        }
        return table.text
    }

    private static func number(_ value: Double) -> String { value >= 100 ? "\(Int(value))" : rounded(value, 100) }

    private static func rounded(_ value: Double, _ parts: Double) -> String { "\((value * parts).rounded() / parts)" }
}
