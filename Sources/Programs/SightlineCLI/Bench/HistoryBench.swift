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
        var rates: [Double] = []
        var copies: [Double] = []
        var cpu: [Double] = []
        let file = "\(folder)/rows.bin"
        for repetition in 1...repetitions {
            progress("history, \(repetition) of \(repetitions)")
            let throughput = try measure(stage)
            rates.append(throughput.ratePerSecond)
            cpu.append(throughput.cpuMicrosecondsPerRecord)
            if repetition == 1 {
                _ = try database.psql("\\copy (select * from location_history) to '\(file)' with (format binary)")
            }
            try database.empty()
            let seconds = try database.psql("\\copy location_history from '\(file)' with (format binary)")
            copies.append(Double(plan.records) / seconds)
            try database.empty()
        }
        try? FileManager.default.removeItem(atPath: file)
        var result = BenchResult("history")
        result.ratePerSecond = rates.median
        result.rateSpread = rates.spread
        let ratios = zip(rates, copies).map { $0 / $1 }
        result.ratio = ratios.median
        result.ratioSpread = ratios.spread
        result.ceiling = "psql \\copy (binary)"
        result.cpuUsPerUpdate = cpu.median
        result.repetitions = repetitions
        result.values["copy_rows_per_second"] = copies.median?.rounded()
        result.target = "at least 0.85 of \\copy"
        result.isReached = (result.ratio ?? 0) >= 0.85
        return result
    }

    private func measure(_ stage: BenchStage) throws -> Throughput {
        let worker = try stage.worker("history-worker")
        defer { worker.stop() }
        return try Throughput.watch([worker], counter: "sightline_sink_rows_total", count: plan.records)
    }
}
