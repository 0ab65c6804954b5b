import Foundation
import Postgres
import TestSupport
import Testing

@Suite(
    "Audit under live traffic", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct AuditLiveTests {
    private struct Report: Decodable {
        struct Check: Decodable {
            var name: String
            var compared: Int
            var differences: [String: Int]
        }
        var differences: Int
        var checks: [Check]

        func check(_ name: String) throws -> Check { try #require(checks.first { $0.name == name }) }
    }

    /// Calls `body` with a stack and a fleet that sends during the whole test.
    ///
    /// Every partition gets a record about every 20 ms, so that a fetch of the raw topic does not reach its end.
    private func withTraffic(
        workers: Bool, _ body: (PipelineStack, Program) async throws -> Void
    ) async throws {
        let stack = try await PipelineStack(partitions: 2)
        defer { stack.end() }
        if workers { try await stack.startAll() }
        let fleet = try Program(
            "sightline", ["simulate", "--drivers", "100", "--rate", "1", "--seed", "11"],
            environment: stack.environment, logs: stack.logs)
        defer { fleet.end() }
        if workers {
            try await eventually("the history has rows") {
                Int(try await stack.sql("SELECT count(*) FROM location_history")) ?? 0 > 500
            }
        } else {
            try await eventually("the fleet sends") {
                try await stack.sightline(
                    "tail", "driver.locations.raw", "--from-beginning", "--count", "100", "--no-heading"
                ).split(separator: "\n").count == 100
            }
        }
        try await body(stack, fleet)
        #expect(fleet.isRunning, "the fleet ended during the test: \(fleet.output)")
    }

    private func audit(_ stack: PipelineStack, _ options: [String]) throws -> (program: Program, report: URL) {
        let file = stack.logs.appendingPathComponent("audit.json")
        try? FileManager.default.removeItem(at: file)
        let program = try Program(
            "sightline", ["audit", "--json", file.path] + options, environment: stack.environment, logs: stack.logs)
        return (program, file)
    }

    private func read(_ file: URL) throws -> Report {
        try JSONDecoder().decode(Report.self, from: try Data(contentsOf: file))
    }

    @Test("under live traffic, the audit finds no differences", .nightly)
    func noDifferencesUnderTraffic() async throws {
        try await withTraffic(workers: true) { stack, fleet in
            for _ in 0..<2 {
                let (program, file) = try audit(stack, ["--wait", "300", "--no-repeats"])
                defer { program.end() }
                let code = try await program.wait()
                #expect(code == 0, "\(program.output)")
                let report = try read(file)
                #expect(try report.check("verdicts").compared > 400)
                #expect(try report.check("history").compared > 400)
                #expect(try report.check("redis").compared > 10)
                #expect(try report.check("rider-updates").compared > 10)
            }
            #expect(fleet.isRunning)
        }
    }

    @Test("without workers, the audit ends after --wait and reports that location-worker is behind")
    func waitTimeout() async throws {
        try await withTraffic(workers: false) { stack, _ in
            let (program, file) = try audit(stack, ["--wait", "3"])
            defer { program.end() }
            let code = try await program.wait()
            #expect(code == 1, "\(program.output)")
            let report = try read(file)
            #expect(try report.check("caught-up").differences["behind"] ?? 0 > 0)
            #expect(try report.check("verdicts").differences["missing"] == 0, "unprocessed records are not missing")
            #expect(program.output.contains("location-worker has"))
        }
    }

    @Test("SIGINT stops the audit while it waits for workers")
    func interruptedWait() async throws {
        try await withTraffic(workers: false) { stack, _ in
            let (program, _) = try audit(stack, ["--wait", "3600"])
            defer { program.end() }
            try await eventually("the audit handles SIGINT") {
                try #require(program.isRunning, "\(program.output)")
                return program.catches(signal: SIGINT)
            }
            program.send(signal: SIGINT)
            let code = try await program.wait()
            #expect(code == 2, "\(program.output)")
            #expect(program.output.contains("Stopped before completion."))
        }
    }

    @Test("SIGINT stops the audit while it waits for a Postgres query")
    func interruptedQuery() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let url = try #require(stack.environment["POSTGRES_URL"])
        let lockOwner = try PostgresConnection(PostgresConfiguration(url: url))
        try lockOwner.execute("BEGIN")
        try lockOwner.execute("LOCK TABLE location_history IN ACCESS EXCLUSIVE MODE")
        let (program, _) = try audit(stack, ["--wait", "0", "--no-redis"])
        defer { program.end() }
        try await eventually("the audit waits for a lock") {
            try #require(program.isRunning, "\(program.output)")
            return try await stack.sql(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND application_name = 'sightline-audit' AND wait_event_type = 'Lock'
                """) == "1"
        }
        program.send(signal: SIGINT)
        let code = try await program.wait()
        #expect(code == 2, "\(program.output)")
        #expect(program.output.contains("Stopped before completion."))
        try lockOwner.execute("ROLLBACK")
    }
}
