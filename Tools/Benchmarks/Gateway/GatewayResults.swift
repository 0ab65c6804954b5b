import SightlineCLI

/// The figures of rider-gateway with those of a plain server beside them: medians of the repetitions, and of faults the
/// most that a repetition had.
struct GatewayResults {
    let plan: GatewayPlan
    let gateway: GatewayRuns
    /// Without runs where it could not be started.
    let plain: GatewayRuns

    private static let ceiling = "a plain WebSocket server in Python, the same clients and updates"

    /// The targets, where the plan has the sizes that they are for.
    private enum Target {
        static let connections = 10_000
        static let megabytes = 400.0
        static let rate = 20_000.0
        static let latencyRate = 5_000
        static let milliseconds = 50.0
        static let stormClients = 5_000
        static let seconds = 10.0
    }

    var all: [BenchResult] { [memory, pushes, latency, storm] }

    private var memory: BenchResult {
        var result = BenchResult("gateway_memory")
        result.repetitions = gateway.memory.count
        for (prefix, runs) in [("", gateway.memory), ("plain_", plain.memory)] {
            let connections = runs.map { Double($0.connections) }
            result.values["\(prefix)connections"] = connections.median
            result.values["\(prefix)resident_mb"] = runs.map { $0.residentBytes / 1e6 }.median
            result.values["\(prefix)bytes_per_connection"] = runs.first?.bytesPerConnection
            result.values["\(prefix)connect_seconds"] = runs.map(\.connectSeconds).median
            result.values["\(prefix)idle_cpu_percent"] = runs.map { $0.idleCPU * 100 }.median
        }
        guard plan.connections == Target.connections else { return result }
        result.target = "10,000 connections in under 400 MB"
        result.isReached = (result.values["resident_mb"] ?? .infinity) < Target.megabytes
        return result
    }

    private var pushes: BenchResult {
        var result = BenchResult("gateway_pushes")
        result.repetitions = gateway.pushes.count
        result.ratePerSecond = gateway.highestRate
        result.rateSpread = gateway.pushes.map { $0?.pushesPerSecond ?? 0 }.spread
        result.cpuUsPerUpdate = gateway.pushes.compactMap { $0?.cpuMicroseconds }.median
        if let rate = gateway.highestRate, let other = plain.highestRate, other > 0 {
            result.ratio = rate / other
            result.ceiling = Self.ceiling
        }
        result.values["plain_per_second"] = plain.highestRate
        result.values["plain_cpu_us_per_push"] = plain.pushes.compactMap { $0?.cpuMicroseconds }.median
        result.values["highest_rate_tried"] = plan.pushRates.last.map(Double.init)
        guard (plan.pushRates.last ?? 0) >= Int(Target.rate) else { return result }
        result.target = "at least 20,000 pushes/s"
        result.isReached = (result.ratePerSecond ?? 0) >= Target.rate
        return result
    }

    private var latency: BenchResult {
        var result = BenchResult("gateway_latency_\(plan.latencyRate)")
        result.repetitions = gateway.latency.count
        result.cpuUsPerUpdate = gateway.latency.map(\.cpuMicroseconds).median
        for (prefix, runs) in [("", gateway.latency), ("plain_", plain.latency)] {
            note("\(prefix)p50_ms", runs.map(\.totals.latencies), 0.5, &result)
            note("\(prefix)p99_ms", runs.map(\.totals.latencies), 0.99, &result)
            note("\(prefix)p999_ms", runs.map(\.totals.latencies), 0.999, &result)
            result.values["\(prefix)left_out"] = runs.map { Double($0.expected - $0.totals.updates) }.max()
        }
        result.values["plain_cpu_us_per_push"] = plain.latency.map(\.cpuMicroseconds).median
        note("broker_alone_p50_ms", gateway.hops, 0.5, &result)
        note("broker_alone_p99_ms", gateway.hops, 0.99, &result)
        result.values["errors"] = gateway.latency.map { Double($0.totals.errors + $0.totals.repeated) }.max()
        guard plan.latencyRate == Target.latencyRate else { return result }
        result.target = "p99 under 50 ms"
        result.isReached = (result.values["p99_ms"] ?? .infinity) < Target.milliseconds
        return result
    }

    private var storm: BenchResult {
        var result = BenchResult("gateway_storm")
        result.repetitions = gateway.storms.count
        for (prefix, runs) in [("", gateway.storms), ("plain_", plain.storms)] {
            result.values["\(prefix)seconds"] = runs.map(\.seconds).median
            result.values["\(prefix)failed_attempts"] = runs.map { Double($0.totals.failedAttempts) }.median
        }
        result.values["clients"] = Double(plan.stormClients)
        result.values["resumed"] = gateway.storms.map { Double($0.totals.resumed) }.median
        result.values["state_in_full"] = gateway.storms.map { Double($0.totals.refreshed) }.max()
        result.values["missing"] = gateway.storms.map { Double($0.totals.missing) }.max()
        result.values["repeated"] = gateway.storms.map { Double($0.totals.repeated) }.max()
        result.values["try_again"] = gateway.storms.map { Double($0.totals.tryAgain) }.max()
        result.values["errors"] = gateway.storms.map { Double($0.totals.errors) }.max()
        guard plan.stormClients == Target.stormClients else { return result }
        result.target = "5,000 clients back in under 10 s"
        result.isReached = (result.values["seconds"] ?? .infinity) < Target.seconds
        return result
    }

    /// The median over the repetitions of the time that this share does not exceed.
    private func note(_ name: String, _ times: [LatencyHistogram], _ share: Double, _ result: inout BenchResult) {
        result.values[name] = times.compactMap { $0.percentile(share).map(Double.init) }.median
    }
}
