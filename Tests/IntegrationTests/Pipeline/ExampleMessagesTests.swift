import Domain
import Foundation
import Kafka
import Support
import TestSupport
import Testing

/// Tests that send Examples/messages.jsonl, whose lines contain the expected results.
@Suite(
    "Example messages", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct ExampleMessagesTests {
    private struct Message {
        var topic: String
        var key: String
        /// JSON text of the value.
        var value: String
        var expectedResults: [String]
    }

    private static let path = "Examples/messages.jsonl"

    private func messages() throws -> [Message] {
        try Checkout.text(Self.path).split(separator: "\n").map { line in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let value = try JSONSerialization.data(withJSONObject: try #require(object["value"]))
            return Message(
                topic: try #require(object["topic"] as? String), key: try #require(object["key"] as? String),
                value: String(decoding: value, as: UTF8.self),
                expectedResults: try #require(object["expect"] as? [String]))
        }
    }

    @Test("Examples/send.py shifts the times to now, and each message has its expected results")
    func sendScript() async throws {
        guard let python = pythonWithClient else {
            // Without confluent-kafka, only the syntax of the script can be checked.
            let tool = try #require(Checkout.tool("python3"))
            let result = try Checkout.run(tool, ["-m", "py_compile", "Examples/send.py"])
            #expect(result.code == 0, "\(result.output)")
            return
        }
        let stack = try await start()
        defer { stack.end() }
        let sent = try Checkout.run(
            python, ["Examples/send.py", Self.path],
            environment: ProcessInfo.processInfo.environment.merging(stack.environment) { $1 })
        #expect(sent.code == 0, "\(sent.output)")
        try await expectOutcomes(of: messages(), in: stack)
        try await eventually("the history has verdicts with current times") {
            try await stack.sql("SELECT max(device_at) > now() - interval '5 min' FROM location_history") == "t"
        }
    }

    @Test("each message has its expected results in the topics and in the history")
    func expectedResults() async throws {
        let stack = try await start()
        defer { stack.end() }
        let messages = try messages()
        try send(messages, in: stack)
        try await expectOutcomes(of: messages, in: stack)
        let fixes = messages.filter { $0.topic == "driver.locations.raw" }.flatMap(\.expectedResults)
        let verdicts = fixes.filter { $0.lowercased() == $0 }
        try await eventually("the history has every verdict") {
            try await stack.sql("SELECT count(*) FROM location_history") == "\(verdicts.count)"
        }
        try await eventually("the history has a track of the driver") {
            try await stack.sql("SELECT count(*) > 0 FROM driver_track('drv_ann', now() - interval '1 hour', now())")
                == "t"
        }
    }

    private func start() async throws -> PipelineStack {
        let stack = try await PipelineStack(partitions: 1)
        try await stack.startAll()
        return stack
    }

    /// Sends messages, with their times shifted so that the last time is now.
    private func send(_ messages: [Message], in stack: PipelineStack) throws {
        let last: Int64 = 1_773_513_135_000 + 13_000
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let producer = try KafkaProducer(stack.kafka) { _ in }
        defer { producer.close() }
        let raw = try producer.topic("\(stack.name).driver.locations.raw")
        let trips = try producer.topic("\(stack.name).trips")
        for (index, message) in messages.enumerated() {
            let value = message.value
                .replacing(/2026-03-14T18:32:(\d\d)\.(\d\d\d)Z/) { match in
                    let at = 1_773_513_120_000 + (Int64(match.1) ?? 0) * 1000 + (Int64(match.2) ?? 0)
                    return Self.text(now - last + at)
                }
                .replacing(/17735131\d{5}/) { String(now - last + (Int64($0.0) ?? 0)) }
            let topic = message.topic == "trips" ? trips : raw
            ByteSlice.withBytes(of: message.key) { key in
                ByteSlice.withBytes(of: value) { value in
                    _ = producer.produce(
                        .init(key: key, value: value, timestamp: Timestamp(milliseconds: now)), to: topic,
                        partition: KafkaProducer.byKey, token: index)
                }
            }
        }
        let isDone = try producer.flush(deadline: .now + .seconds(30)) { _, error in #expect(error == nil) }
        #expect(isDone)
    }

    private static func text(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Waits until each message has its expected results.
    private func expectOutcomes(of messages: [Message], in stack: PipelineStack) async throws {
        let raw = messages.filter { $0.topic == "driver.locations.raw" }
        let trips = messages.filter { $0.topic == "trips" }
        var actual: [String: [String]] = [:]
        try await eventually("every message has its results, not \(actual)") {
            actual = try outcomes(in: stack)
            return actual.values.reduce(0) { $0 + $1.count }
                >= (raw + trips).reduce(0) { $0 + $1.expectedResults.count }
        }
        for (offset, message) in raw.enumerated() {
            #expect(actual["0-\(offset)"] == message.expectedResults, "\(message.value)")
        }
        for (offset, message) in trips.enumerated() {
            #expect(actual["t0-\(offset)"] == message.expectedResults, "\(message.value)")
        }
    }

    /// Returns the results of each raw record and trip message by its event id, such as `0-3` or `t0-1`.
    private func outcomes(in stack: PipelineStack) throws -> [String: [String]] {
        var results: [String: [String]] = [:]
        for topic in [PipelineTopic.locations, .riderUpdates] {
            for record in try stack.read(topic) where !record.value.isEmpty {
                let object = try #require(try JSONSerialization.jsonObject(with: Data(record.value)) as? [String: Any])
                let event = try #require(object["event_id"] as? String)
                let source = String(event.prefix { $0 != "." && $0 != "/" && $0 != "+" })
                if let verdict = object["verdict"] as? String { results[source, default: []].append(verdict) }
                if object["type"] as? String == "trip_state_changed" {
                    results[source, default: []].append("trip_state_changed")
                }
            }
        }
        for (topic, origin) in [(PipelineTopic.locationsDeadLetter, ""), (.tripsDeadLetter, "t")] {
            for record in try stack.read(topic) where !record.value.isEmpty {
                let offset = try #require(record.headers["__connect.errors.offset"])
                let reason = try #require(record.headers["__connect.errors.exception.class.name"])
                results["\(origin)0-\(offset)", default: []].append(reason)
            }
        }
        return results
    }
}
