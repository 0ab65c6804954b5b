import ChildProcesses
import Domain
import Foundation
import Kafka
import Support
import TestSupport
import Testing

/// The `sightline` of the release before, from `SIGHTLINE_TEST_PREVIOUS`.
private enum PreviousBuild {
    static let path = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_PREVIOUS"]
}

/// Two builds in turn on one partition: `deploy/test upgrade COMMIT` builds the other one.
@Suite(
    "A rolling upgrade and its undoing", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .enabled(if: PreviousBuild.path != nil, "SIGHTLINE_TEST_PREVIOUS names no sightline of the release before."),
    .timeLimit(.minutes(10)))
struct UpgradeTests {
    private let start = Timestamp(milliseconds: (Int64(Date().timeIntervalSince1970) - 3600) * 1000)

    private func configuration(_ stack: PipelineStack) -> KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "")
    }

    /// Sends a fix for each of `seconds`.
    private func send(_ seconds: Range<Int>, isMock: Bool, to stack: PipelineStack) throws {
        let producer = try KafkaProducer(configuration(stack)) { _ in }
        defer { producer.close() }
        let topic = try producer.topic(stack.name + "." + PipelineTopic.rawLocations.rawValue)
        for second in seconds {
            let at = start.advanced(bySeconds: Double(second))
            let value = """
                {"type":"location","sequence":\(second + 1),"payload":{"latitude":\(48.1 + Double(second) * 0.0001),\
                "longitude":11.5,"accuracy_meters":\(5 + second % 4),"speed_mps":11.1,"timestamp":\(at.milliseconds),\
                "trip_id":"trip_1","is_mock":\(isMock)}}
                """
            ByteSlice.withBytes(of: "drv_1") { key in
                ByteSlice.withBytes(of: value) { value in
                    _ = producer.produce(
                        .init(key: key, value: value, timestamp: at), to: topic, partition: 0, token: second)
                }
            }
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in failures += error == nil ? 0 : 1 }
        #expect(isDone && failures == 0)
    }

    private func verdicts(of stack: PipelineStack) throws -> [String] {
        let reader = try KafkaReader(configuration(stack)) { _ in }
        defer { reader.close() }
        var found: [String] = []
        let partition = TopicPartition(topic: stack.name + "." + PipelineTopic.locations.rawValue, partition: 0)
        try reader.readToEnd([partition: .position(.beginning)]) { _, _, message in
            found.append(message.record.value?.string ?? "")
        }
        return found
    }

    /// Has a location-worker of one of the builds answer everything up to second `end`, and stops it in order.
    private func work(_ executable: URL?, _ extra: [String: String], until end: Int, _ stack: PipelineStack)
        async throws
    {
        let port = try FreePort.take()
        let environment = stack.environment.merging(extra.merging(["SIGHTLINE_HTTP_PORT": "\(port)"]) { $1 }) { $1 }
        let worker = try Program(
            "location-worker", executable: executable, environment: environment, logs: stack.logs)
        defer { worker.end() }
        try await eventually("the worker answers up to second \(end): \(worker.output.suffix(1000))") {
            try verdicts(of: stack).count >= end
        }
        worker.send(signal: SIGTERM)
        #expect(try await worker.wait() == 0)
    }

    @Test("a flag and the numbers of fixes go on from the old build to the new one, back, and forward again")
    func thereAndBack() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let old = stack.logs.appendingPathComponent("location-worker")
        try FileManager.default.createSymbolicLink(
            at: old, withDestinationURL: URL(fileURLWithPath: PreviousBuild.path ?? ""))
        let careful = ["SIGHTLINE_WRITE_PREVIOUS_STATES": "true"]
        try send(0..<60, isMock: true, to: stack)
        try await work(old, [:], until: 60, stack)
        for (number, (executable, extra)) in [(nil, careful), (old, [:]), (nil, careful), (nil, [:])].enumerated() {
            let seconds = 60 + number * 4..<64 + number * 4
            try send(seconds, isMock: false, to: stack)
            try await work(executable, extra, until: seconds.upperBound, stack)
        }
        let texts = try verdicts(of: stack)
        #expect(texts.count == 76)
        for (second, text) in texts.enumerated() where second >= 60 {
            #expect(text.contains("FLAGGED") && text.contains(#""verdict":"accepted""#), "\(second): \(text)")
        }
    }
}
