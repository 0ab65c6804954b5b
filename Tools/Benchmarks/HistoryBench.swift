import Foundation

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
        let tables = ["location_history", "smoothed_locations"]
        func file(_ table: String) -> String { "\(folder)/\(table).bin" }
        var rows = 0.0
        for repetition in 1...repetitions {
            progress("history, \(repetition) of \(repetitions)")
            let throughput = try stage.throughput(of: "history-worker", topic: .locations)
            if repetition == 1 {
                rows = Double(try database.rows(of: tables[0]))
                for table in tables {
                    _ = try database.psql("\\copy (select * from \(table)) to '\(file(table))' with (format binary)")
                }
            }
            try database.empty()
            let seconds = try tables.reduce(0) { seconds, table in
                try seconds + database.psql("\\copy \(table) from '\(file(table))' with (format binary)")
            }
            copies.append(rows / seconds)
            runs.add(throughput, ceiling: rows / seconds)
            try database.empty()
        }
        for table in tables { try? FileManager.default.removeItem(atPath: file(table)) }
        var result = runs.result("history", ceiling: "psql \\copy (binary)")
        result.values["copy_rows_per_second"] = copies.median?.rounded()
        result.target = "at least 0.85 of \\copy"
        result.isReached = (result.ratio ?? 0) >= 0.85
        return result
    }
}
