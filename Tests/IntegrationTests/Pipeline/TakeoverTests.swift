import Foundation
import TestSupport
import Testing

@Suite(
    "Takeover in a pipeline", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct TakeoverTests {
    /// Part of the report of `sightline demo`.
    struct Report: Decodable {
        struct Audit: Decodable {
            struct Check: Decodable {
                var name: String
                var compared: Int
                var repeated: Int
            }
            var differences: Int
            var checks: [Check]
        }
        var fixes: Int
        var rider_updates: Int
        var verdicts: [String: Int]
        var audit: Audit

        /// Number of repeated records in topics.
        var repeated: Int { audit.checks.reduce(0) { $0 + $1.repeated } }

        func compared(_ check: String) throws -> Int {
            try #require(audit.checks.first { $0.name == check }).compared
        }
    }

    private func report(of file: URL) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
    }

    @Test("killing one of two location-workers causes no loss and no duplicates")
    func killedWorkerIsTakenOver() async throws {
        let stack = try await PipelineStack()
        defer { stack.end() }
        try await stack.startAll(locationWorkers: 2)
        let file = stack.logs.appendingPathComponent("report.json")
        let demo = try Program(
            "sightline",
            ["demo", "--seconds", "25", "--drivers", "60", "--seed", "7", "--json", file.path] + stack.metricsOptions,
            environment: stack.environment, logs: stack.logs)
        defer { demo.end() }
        try await eventually("the history has verdicts") {
            Int(try await stack.sql("SELECT count(*) FROM location_history")) ?? 0 > 200
        }
        stack.workers[0].program.send(signal: SIGKILL)
        let code = try await demo.wait()
        #expect(code == 0, "\(demo.output.suffix(3000))")
        let report = try report(of: file)
        #expect(report.audit.differences == 0)
        #expect(report.repeated == 0)
        #expect(report.fixes > 500)
        #expect(report.verdicts.values.reduce(0, +) == report.fixes)
        #expect(try report.compared("verdicts") == report.fixes)
        #expect(try report.compared("history") == report.fixes)
        #expect(report.rider_updates > 0)
        let duplicates = try await stack.sql(
            "SELECT count(*) FROM (SELECT 1 FROM location_history GROUP BY kafka_partition, event_offset, event_part HAVING count(*) > 1) d"
        )
        #expect(duplicates == "0")
    }

    @Test("killing one of two eta-workers causes no loss and no duplicates", .nightly)
    func killedEtaWorkerIsTakenOver() async throws {
        let stack = try await PipelineStack()
        defer { stack.end() }
        // With SIGHTLINE_MEMORY_SECONDS=30, the worker writes a checkpoint of its road speeds every 6 s.
        let memory = ["SIGHTLINE_MEMORY_SECONDS": "30"]
        let etaWorker = try await stack.start("eta-worker", extra: memory)
        try await stack.startAll()
        let file = stack.logs.appendingPathComponent("report.json")
        let demo = try Program(
            "sightline", ["demo", "--seconds", "30", "--drivers", "60", "--seed", "8", "--json", file.path],
            environment: stack.environment, logs: stack.logs)
        defer { demo.end() }
        let checkpoint = try await stack.sightline("tail", "road.speeds", "--from-beginning", "--count", "1", "--json")
        #expect(checkpoint.contains("\"meters\""), "\(checkpoint)")
        etaWorker.program.send(signal: SIGKILL)
        let code = try await demo.wait()
        #expect(code == 0, "\(demo.output.suffix(3000))")
        let report = try report(of: file)
        #expect(report.audit.differences == 0)
        #expect(report.repeated == 0)
        #expect(report.rider_updates > 0)
    }
}
