import Foundation
import Recordings

/// The position worker on a backlog of verdicts, against redis-benchmark with the commands of one driver.
struct PositionBench {
    let plan: BenchPlan
    let progress: (String) -> Void

    /// Commands that a driver's update takes, as `redis-benchmark` is given them; those of areas and clocks are shared
    /// by hundreds of drivers and left out, which favours `redis-benchmark`.
    private static let commands: [[String]] = [
        [
            "HSET", "driver:load___rand_int__", "lat", "48.137412", "lon", "11.575523", "heading", "270.4", "speed_mps",
            "13.89", "accuracy_meters", "4.5", "confidence", "HIGH", "fixed_at", "1768478400123", "received_at",
            "1768478400123", "event_id", "3-123456789", "trip_id", "trip_123456", "is_halted", "0", "area", "u281",
            "risk", "0.02", "is_flagged", "0", "risk_event_id", "3-123456789",
        ],
        ["LPUSH", "driver:load___rand_int__:trail", "48.137412,11.575523,1768478400123,270.4,13.89"],
        ["LTRIM", "driver:load___rand_int__:trail", "0", "99"],
        ["ZADD", "drivers:geo:u281", "3673983964876493", "load___rand_int__"],
    ]

    func run(on stage: BenchStage, drivers: Int, repetitions: Int, name: String) throws -> BenchResult {
        var runs = BenchRuns()
        var bare: [Double] = []
        for repetition in 1...repetitions {
            progress("position at \(drivers) drivers, \(repetition) of \(repetitions)")
            let ceiling = try redisBenchmark(stage, keys: drivers)
            let prefix = "\(stage.prefix)\(name)\(repetition)."
            let throughput = try stage.throughput(
                of: "position-worker", ["SIGHTLINE_REDIS_PREFIX": prefix], topic: .locations)
            runs.add(throughput, ceiling: ceiling)
            bare.append(ceiling)
        }
        var result = runs.result(name, ceiling: "redis-benchmark, the same commands per update")
        result.values["redis_benchmark_updates_per_second"] = bare.median?.rounded()
        let wanted = drivers >= 100_000 ? 0.85 : 5
        result.target = "at least \(wanted) of redis-benchmark"
        result.isReached = (result.ratio ?? 0) >= wanted
        return result
    }

    /// Updates per second if every command ran at its own rate, one after the other over one connection.
    private func redisBenchmark(_ stage: BenchStage, keys: Int) throws -> Double {
        var secondsPerUpdate = 0.0
        for command in Self.commands {
            let rate = try rate(of: command, url: stage.access.settings.redis.url.reveal(), keys: keys)
            secondsPerUpdate += 1 / rate
        }
        return 1 / secondsPerUpdate
    }

    private func rate(of command: [String], url: String, keys: Int) throws -> Double {
        guard let address = URLComponents(string: url), let host = address.host else {
            throw InputError("REDIS_URL is no URL.")
        }
        let output = try BenchTool.run(
            "redis-benchmark",
            [
                "-h", host, "-p", "\(address.port ?? 6379)", "--csv", "-c", "1", "-P", "512", "-n", "200000", "-r",
                "\(keys)",
            ] + command)
        let text = String(decoding: output, as: UTF8.self)
        // "test","rps",… and below it a line of values in quotes.
        let cells = text.split(separator: "\n").last.map { $0.split(separator: "\",\"") } ?? []
        guard cells.count > 1, let rate = Double(cells[1].filter { $0 != "\"" }) else {
            throw InputError("redis-benchmark printed no rate; is it installed?")
        }
        return rate
    }
}
