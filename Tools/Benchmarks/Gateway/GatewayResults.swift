import SightlineCLI

/// Figures of rider-gateway and of a plain server: medians over the repetitions, and maxima of error counts.
///
/// Bytes per connection are those of the first repetition.
struct GatewayResults {
    let plan: GatewayPlan
    let gateway: GatewayRuns
    /// Empty if the plain server did not start.
    let plain: GatewayRuns

    /// Excludes results that no repetition measured, because the gateway failed before.
    var all: [BenchResult] { [memory, pushes, latency, storm].filter { $0.repetitions != 0 } }

    private var memory: BenchResult {
        var result = BenchResult("gateway_memory")
        result.repetitions = gateway.memory.count
        for (prefix, runs) in [("", gateway.memory), ("plain_", plain.memory)] {
            result.values["\(prefix)resident_mb"] = runs.map { $0.residentBytes / 1e6 }.median
            result.values["\(prefix)bytes_per_connection"] = runs.first?.bytesPerConnection
            result.values["\(prefix)connect_seconds"] = runs.map(\.connectSeconds).median
            result.values["\(prefix)idle_cpu_percent"] = runs.map { $0.idleCPU * 100 }.median
        }
        guard plan.connections == 10_000 else { return result }
        result.target = "10,000 connections in under 400 MB"
        result.isReached = (result.values["resident_mb"] ?? .infinity) < 400
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
            result.ceiling = "a plain WebSocket server in Python, the same clients and updates"
        }
        result.values["plain_per_second"] = plain.highestRate
        result.values["plain_cpu_us_per_push"] = plain.pushes.compactMap { $0?.cpuMicroseconds }.median
        guard (plan.pushRates.last ?? 0) >= 20_000 else { return result }
        result.target = "at least 20,000 pushes/s"
        result.isReached = (result.ratePerSecond ?? 0) >= 20_000
        return result
    }

    private var latency: BenchResult {
        var result = BenchResult("gateway_latency_\(plan.latencyRate)")
        result.repetitions = gateway.latency.count
        result.cpuUsPerUpdate = gateway.latency.map(\.cpuMicroseconds).median
        for (prefix, runs) in [("", gateway.latency), ("plain_", plain.latency)] {
            for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
                result.values["\(prefix)\(name)_ms"] = Self.percentile(share, runs.map(\.totals.latencies))
            }
            result.values["\(prefix)left_out"] = runs.map { Double($0.expected - $0.totals.updates) }.max()
        }
        result.values["plain_cpu_us_per_push"] = plain.latency.map(\.cpuMicroseconds).median
        result.values["broker_alone_p50_ms"] = Self.percentile(0.5, gateway.brokerLatencies)
        result.values["broker_alone_p99_ms"] = Self.percentile(0.99, gateway.brokerLatencies)
        result.values["errors"] = gateway.latency.map { Double($0.totals.errors + $0.totals.repeated) }.max()
        guard plan.latencyRate == 5_000 else { return result }
        result.target = "p99 under 50 ms"
        result.isReached = (result.values["p99_ms"] ?? .infinity) < 50
        return result
    }

    private var storm: BenchResult {
        var result = BenchResult("gateway_storm")
        result.repetitions = gateway.storms.count
        for (prefix, runs) in [("", gateway.storms), ("plain_", plain.storms)] {
            result.values["\(prefix)seconds"] = runs.map(\.seconds).median
        }
        result.values["resumed"] = gateway.storms.map { Double($0.totals.resumed) }.median
        for (name, count) in [
            ("state_in_full", \LoadTotals.fullSnapshots), ("missing", \.missing), ("repeated", \.repeated),
            ("errors", \.errors),
        ] {
            result.values[name] = gateway.storms.map { Double($0.totals[keyPath: count]) }.max()
        }
        guard plan.stormClients == 5_000 else { return result }
        result.target = "5,000 clients back in under 10 s"
        result.isReached = (result.values["seconds"] ?? .infinity) < 10
        return result
    }

    /// Median of a percentile over the repetitions.
    private static func percentile(_ share: Double, _ times: [LatencyHistogram]) -> Double? {
        times.compactMap { $0.percentile(share).map(Double.init) }.median
    }
}
