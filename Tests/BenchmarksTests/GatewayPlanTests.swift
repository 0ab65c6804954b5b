import ArgumentParser
import Testing

@testable import Benchmarks

@Suite("Options of bench gateway")
struct GatewayPlanTests {
    @Test("the default plan has the sizes for which targets exist")
    func usual() throws {
        let plan = try GatewayPlan.parse([])
        #expect(plan.connections == 10_000 && plan.stormClients == 5_000 && plan.latencyRate == 5_000)
        #expect(plan.pushRates.contains(20_000) && plan.pushTrips == 200 && plan.trips == 10_000)
    }

    @Test("sizes within their limits are parsed, and other sizes throw an error")
    func limits() throws {
        #expect(throws: Never.self) { try GatewayPlan.parse(["--connections", "25000", "--storm-clients", "1"]) }
        for wrong in [
            ["--connections", "0"], ["--connections", "25001"], ["--storm-clients", "0"],
            ["--clients", "10", "--clients-per-trip", "11"], ["--push-rates", "20", "20"], ["--latency-rate", "9"],
            ["--push-seconds", "0.9"],
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try GatewayPlan.parse(wrong) }
        }
        let few = try GatewayPlan.parse(["--clients", "10", "--clients-per-trip", "10"])
        #expect(few.pushTrips == 1)
    }

    @Test("the benchmarks gateway and peers are measured only if requested by name")
    func names() throws {
        #expect(!BenchName.usual.contains(.gateway) && !BenchName.usual.contains(.peers))
        #expect(try BenchCommand.parse(["gateway"]).names == [.gateway])
    }
}
