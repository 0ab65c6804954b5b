import ChildProcesses
import Foundation
import Kafka
import Support
import TestSupport
import Testing

@Suite(
    "Commands for dead letters", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct DeadLetterCommandTests {
    /// Sends raw records with timestamps `ago` seconds before now.
    private func send(_ records: [(key: String, value: String, ago: Double)], in stack: PipelineStack) throws {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        try stack.send(
            records.map { ($0.key, Array($0.value.utf8), now.advanced(bySeconds: -$0.ago)) }, to: .rawLocations)
    }

    @Test("tail shows dead letters, filtered and in colour, and dead-letters counts them by reason and period")
    func tailAndDeadLetters() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        try await stack.start("location-worker")
        let noLatitude = #"{"trip_id":"tr_9","longitude":11.5,"timestamp":1770000000000}"#
        try send(
            [
                ("drv_1", noLatitude, 7200), ("drv_1", noLatitude, 5), ("drv_2", noLatitude, 4), ("drv_2", "{", 3),
            ], in: stack)
        let topic = "driver.locations.dead-letter"
        let lines = try await stack.sightline("tail", topic, "--from-beginning", "--count", "4")
            .split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[0].contains("reason") && lines[0].contains("field") && lines[0].contains("of_offset"))
        let words = lines[1].split(separator: " ", omittingEmptySubsequences: true)
        #expect(words[1...5] == ["0-0", "drv_1", "MISSING_FIELD", "latitude", "0-0"], "\(lines[1])")
        #expect(!lines.joined().contains("\u{1b}"), "output to a file has colours")

        let filtered = try await stack.sightline(
            "tail", topic, "--from-beginning", "--count", "1", "--driver", "drv_2", "--reason", "MALFORMED_JSON",
            "--json")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(filtered.utf8)) as? [String: Any])
        #expect(json["reason"] as? String == "MALFORMED_JSON" && json["offset"] as? Int == 3)
        #expect((json["source"] as? [String: Any])?["topic"] as? String == "driver.locations.raw")
        let trip = try await stack.sightline(
            "tail", topic, "--from-beginning", "--count", "1", "--trip", "tr_9", "--driver", "drv_2", "--no-heading")
        #expect(trip.contains("  0-2 "), "\(trip)")

        try await checkCounts(stack)
        try checkColors(stack)
    }

    @Test("dead-letters reads topics with different partition counts")
    func unequalTopics() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let prefix = "\(stack.name).unequal."
        let admin = try KafkaAdmin(stack.kafka) { _ in }
        let created = try admin.create([
            .init(name: "\(prefix)driver.locations.dead-letter", partitions: 1),
            .init(name: "\(prefix)trips.dead-letter", partitions: 2),
        ])
        #expect(created.count == 2)
        let output = try await Program.run(
            "sightline", ["dead-letters", "--last", "1h"],
            environment: stack.environment.merging(["SIGHTLINE_TOPIC_PREFIX": prefix]) { $1 }, logs: stack.logs)
        #expect(output.contains("No dead letters since "), "\(output)")
    }

    private func checkCounts(_ stack: PipelineStack) async throws {
        func counts(_ arguments: String...) async throws -> [String: Int] {
            let output = try await Program.run(
                "sightline", ["dead-letters", "--json"] + arguments, environment: stack.environment, logs: stack.logs)
            let json = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
            let reasons = try #require(json["reasons"] as? [[String: Any]])
            return Dictionary(
                uniqueKeysWithValues: reasons.compactMap { reason in
                    (reason["reason"] as? String).flatMap { name in (reason["count"] as? Int).map { (name, $0) } }
                })
        }
        #expect(try await counts() == ["MISSING_FIELD": 3, "MALFORMED_JSON": 1])
        #expect(try await counts("--last", "1h") == ["MISSING_FIELD": 2, "MALFORMED_JSON": 1])
        let text = try await stack.sightline("dead-letters", "--last", "1h")
        #expect(text.contains("latitude is missing"), "\(text)")
        #expect(text.contains("\n3 dead letters since "), "\(text)")
        let none = try await stack.sightline("dead-letters", "--last", "1s")
        #expect(none.contains("No dead letters since ") && none.contains("--last 14d"), "\(none)")
    }

    /// Expects colours at a terminal, which `script` simulates, and no colours with NO_COLOR.
    private func checkColors(_ stack: PipelineStack) throws {
        let binary = Program.folder.appendingPathComponent("sightline").path
        let command =
            "'\(binary)' tail driver.locations.dead-letter --from-beginning --count 1"
        func output(_ extra: [String: String]) throws -> String {
            let run = try ChildProcess.run(
                "/usr/bin/script", ["-qec", command, "/dev/null"],
                environment: ProcessInfo.processInfo.environment.merging(stack.environment) { $1 }
                    .merging(["TERM": "xterm", "NO_COLOR": ""].merging(extra) { $1 }) { $1 })
            #expect(run.ending == .exit(0))
            return String(decoding: run.output, as: UTF8.self)
        }
        #expect(try output([:]).contains("\u{1b}[1;31mMISSING_FIELD\u{1b}[0m"))
        let plain = try output(["NO_COLOR": "1"])
        #expect(plain.contains("MISSING_FIELD") && !plain.contains("\u{1b}["))
    }
}
