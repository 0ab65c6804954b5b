import Testing

@testable import Benchmarks

@Suite("Failures of the benchmark's parts")
struct PartFailuresTests {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private func result(_ name: String, rate: Double) -> BenchResult {
        var result = BenchResult(name)
        result.ratePerSecond = rate
        return result
    }

    @Test("a failed part has a result with its error, and the other parts are measured and keep their figures")
    func failed() {
        var reports: [String] = []
        let failures = PartFailures(report: { reports.append($0) })
        var results: [BenchResult] = []
        #expect(failures.measure("location") { results.append(result("location", rate: 1)) })
        #expect(!failures.measure("eta") { throw Failure("no progress") })
        #expect(failures.measure("history") { results.append(result("history", rate: 2)) })
        let all = failures.applied(to: results)
        #expect(all.map(\.name) == ["location", "history", "eta"])
        #expect(all.map(\.error) == [nil, nil, "no progress"] && all.map(\.ratePerSecond) == [1, 2, nil])
        #expect(reports == ["eta failed: no progress"])
        #expect(BenchTable.text(of: all).contains("FAILED: no progress"))
    }

    @Test("a part that fails in some repetitions keeps the figures of the others, and reports its first error")
    func repetitions() {
        let failures = PartFailures()
        for repetition in 1...3 {
            failures.measure("eta", at: "repetition \(repetition)") {
                if repetition > 1 { throw Failure("error \(repetition)") }
            }
        }
        let all = failures.applied(to: [result("eta", rate: 5)])
        #expect(all.map(\.error) == ["repetition 2: error 2"] && all.map(\.ratePerSecond) == [5])
    }

    @Test("a part that needs a failed part has an error only if no repetition measured it")
    func skipped() {
        let failures = PartFailures()
        failures.measure("eta") { throw Failure("ended") }
        failures.skip(["broadcast", "history"], because: "eta")
        failures.skip(["broadcast"], because: "eta")
        let all = failures.applied(to: [result("history", rate: 1)])
        #expect(all.map(\.name) == ["history", "eta", "broadcast"])
        #expect(all.map(\.error) == [nil, "ended", "not measured, because eta failed"])
    }

    @Test("a failure inside a part does not fail that part")
    func nested() {
        let failures = PartFailures()
        #expect(failures.measure("memory") { failures.measure("restore") { throw Failure("slow") } })
        #expect(failures.applied(to: [result("memory", rate: 1)]).map(\.error) == [nil, "slow"])
    }

    @Test("after a request to stop, further parts fail without being measured")
    func stopped() {
        var isStopped = false
        let failures = PartFailures(check: { if isStopped { throw Failure("stopped") } })
        #expect(failures.measure("location") {})
        isStopped = true
        var isCalled = false
        #expect(!failures.measure("eta") { isCalled = true })
        #expect(!isCalled && failures.applied(to: []).map(\.error) == ["stopped"])
    }
}
