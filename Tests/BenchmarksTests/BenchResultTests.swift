import Foundation
import SightlineCLI
import Testing

@testable import Benchmarks

@Suite("Benchmark results")
struct BenchResultTests {
    @Test("the median is the middle value, or the mean of the two middle values")
    func median() {
        #expect([Double]().median == nil && [Double]().spread == nil)
        #expect([3.0].median == 3 && [5.0, 1, 3].median == 3 && [4.0, 1, 2, 3].median == 2.5)
        #expect([5.0, 1, 3].spread == [1, 5])
    }

    @Test("JSON members are in snake case, figures are rounded, and absent figures are omitted")
    func json() throws {
        var result = BenchResult("location")
        result.broker = "librdkafka mock"
        result.ratePerSecond = 1234.56
        result.ratio = 0.61239
        result.cpuUsPerUpdate = 2.5
        result.allocationsPerUpdate = 0
        result.values["p50_ms"] = 12
        let object = try #require(
            try JSONSerialization.jsonObject(with: ReportFile.json(result)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "name", "broker", "rate_per_second", "ratio", "cpu_us_per_update", "allocations_per_update", "values",
            ])
        #expect(object["rate_per_second"] as? Double == 1235 && object["ratio"] as? Double == 0.612)
    }

    @Test("the table shows reached and missed targets")
    func table() {
        var reached = BenchResult("a")
        (reached.target, reached.isReached) = ("at least 1", true)
        var missed = BenchResult("b")
        (missed.target, missed.isReached) = ("at least 2", false)
        let text = BenchTable.text(of: [reached, missed, BenchResult("c")])
        #expect(text.contains("reached: at least 1") && text.contains("MISSED: at least 2"))
    }
}
