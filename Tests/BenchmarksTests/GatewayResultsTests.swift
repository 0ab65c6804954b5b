import Testing

@testable import Benchmarks

@Suite("Results of bench gateway")
struct GatewayResultsTests {
    private func run(_ milliseconds: Int64, cpu: Double = 10) -> PushRun {
        var totals = LoadTotals()
        for _ in 0..<1000 { totals.latencies.record(milliseconds: milliseconds) }
        totals.updates = 1000
        return PushRun(pushesPerSecond: 20_000, expected: 1000, totals: totals, cpuMicroseconds: cpu)
    }

    private func runs(_ megabytes: Double, _ milliseconds: Int64, _ seconds: Double) -> GatewayRuns {
        let memory = ConnectionMemory(
            residentBytesBefore: 50e6, residentBytes: megabytes * 1e6, connections: 10_000, connectSeconds: 1,
            idleCPU: 0.01)
        return GatewayRuns(
            memory: [memory], pushes: [run(milliseconds)], latency: [run(milliseconds)],
            storms: [ReconnectionStorm(seconds: seconds, totals: LoadTotals())])
    }

    @Test("targets are reached just below their limits, and missed at the limits or without a sustained push rate")
    func targets() throws {
        let plan = try GatewayPlan.parse([])
        let reached = GatewayResults(plan: plan, gateway: runs(399, 49, 9.9), plain: runs(100, 1, 1)).all
        #expect(reached.map(\.isReached) == [true, true, true, true])
        #expect(reached[1].ratio == 1 && reached[0].values["bytes_per_connection"] == 34_900)
        var slow = runs(400, 50, 10)
        slow.pushes = [nil]
        let missed = GatewayResults(plan: plan, gateway: slow, plain: runs(100, 1, 1)).all
        #expect(missed.map(\.isReached) == [false, false, false, false] && missed[1].ratio == 0)
    }

    @Test(
        "sizes other than the defaults have no targets, and without the server for comparison there is no ratio"
    )
    func others() throws {
        let plan = try GatewayPlan.parse(
            ["--connections", "20", "--storm-clients", "20", "--push-rates", "100", "--latency-rate", "100"])
        let results = GatewayResults(plan: plan, gateway: runs(60, 1, 1), plain: GatewayRuns()).all
        #expect(results.allSatisfy { $0.target == nil && $0.isReached == nil && $0.ratio == nil })
    }

    @Test("a gateway that failed in the first repetition has only the results measured before")
    func failed() throws {
        var gateway = runs(60, 1, 1)
        (gateway.latency, gateway.pushes, gateway.storms) = ([], [], [])
        let results = GatewayResults(plan: try GatewayPlan.parse([]), gateway: gateway, plain: GatewayRuns()).all
        #expect(results.map(\.name) == ["gateway_memory"])
    }

    @Test("times are medians over the repetitions, and error counts are maxima")
    func repetitions() throws {
        var gateway = runs(60, 1, 1)
        var totals = LoadTotals()
        totals.missing = 3
        gateway.storms += [
            ReconnectionStorm(seconds: 2, totals: totals), ReconnectionStorm(seconds: 7, totals: LoadTotals()),
        ]
        let storm = GatewayResults(plan: try GatewayPlan.parse([]), gateway: gateway, plain: GatewayRuns()).all[3]
        #expect(storm.values["seconds"] == 2 && storm.values["missing"] == 3 && storm.repetitions == 3)
    }

    @Test("a rate is sustained if at least 99.9 % of the pushes arrive and p99 is at most 1 s")
    func sustained() {
        #expect(run(1000).isSustained && !run(1001).isSustained)
        var partial = run(10)
        (partial.expected, partial.totals.updates) = (1000, 999)
        #expect(partial.isSustained)
        partial.totals.updates = 998
        #expect(!partial.isSustained)
    }
}
