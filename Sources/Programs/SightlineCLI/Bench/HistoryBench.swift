import Foundation
import Recordings

/// The history worker on a backlog of verdicts, against psql's binary copy of the same rows into the same tables.
struct HistoryBench {
    let plan: BenchPlan
    let folder: String
    let progress: (String) -> Void

    func run(on stage: BenchStage, repetitions: Int) throws -> BenchResult {
        let database = try BenchDatabase(stage.access.settings)
        defer { try? database.drop() }
        stage.use(database: database.url)
        var runs = BenchRuns()
        var copies: [Double] = []
        let file = "\(folder)/rows.bin"
        for repetition in 1...repetitions {
            progress("history, \(repetition) of \(repetitions)")
            let throughput = try stage.throughput(of: "history-worker", counter: "sightline_sink_rows_total")
            if repetition == 1 {
                _ = try database.psql("\\copy (select * from location_history) to '\(file)' with (format binary)")
            }
            try database.empty()
            let seconds = try database.psql("\\copy location_history from '\(file)' with (format binary)")
            copies.append(Double(plan.records) / seconds)
            runs.add(throughput, ceiling: Double(plan.records) / seconds)
            try database.empty()
        }
        try? FileManager.default.removeItem(atPath: file)
        var result = runs.result("history", ceiling: "psql \\copy (binary)")
        result.values["copy_rows_per_second"] = copies.median?.rounded()
        result.target = "at least 0.85 of \\copy"
        result.isReached = (result.ratio ?? 0) >= 0.85
        return result
    }
}
