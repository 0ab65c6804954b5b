import Domain
import Foundation
import Kafka
import Support
import TestSupport
import Testing

@Suite(
    "Bad input", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct PoisonTests {
    private struct Poison {
        var key: String
        var value: [UInt8]
        var code: String

        init(_ code: String, _ value: String, key: String = "drv_1") {
            self.code = code
            self.key = key
            self.value = Array(value.utf8)
        }
    }

    private static func location(_ fields: String) -> String {
        #"{"type":"location","driver_id":"drv_1","payload":{"# + fields + "}}"
    }

    private static let poisons: [Poison] = {
        var list = [
            Poison("MALFORMED_JSON", "{"), Poison("MALFORMED_JSON", "not json"), Poison("EMPTY_VALUE", ""),
            Poison("WRONG_TYPE", location(#""latitude":"48.1","longitude":11.5,"timestamp":1770000000000"#)),
            Poison("NOT_FINITE", location(#""latitude":NaN,"longitude":11.5,"timestamp":1770000000000"#)),
            Poison("NOT_FINITE", location(#""latitude":1e999,"longitude":11.5,"timestamp":1770000000000"#)),
            Poison("OUT_OF_RANGE", location(#""latitude":91,"longitude":11.5,"timestamp":1770000000000"#)),
            Poison("MISSING_FIELD", location(#""longitude":11.5,"timestamp":1770000000000"#)),
            Poison("UNKNOWN_TYPE", #"{"type":"weather","driver_id":"drv_1"}"#),
            Poison("KEY_MISMATCH", location(#""latitude":48.1,"longitude":11.5,"timestamp":1"#), key: "drv_2"),
            Poison(
                "TOO_LARGE",
                location(
                    #""latitude":48.1,"longitude":11.5,"timestamp":1,"note":""#
                        + String(repeating: "x", count: 1_000_000) + "\"")),
        ]
        let outside = location(#""latitude":91,"longitude":11.5,"timestamp":1770000000000"#)
        let batch = Array(repeating: outside, count: 500).joined(separator: ",")
        let note = String(repeating: "x", count: 900_000)
        list.append(
            Poison("OUT_OF_RANGE", #"{"type":"location_batch","locations":["# + batch + #"],"note":""# + note + "\"}"))
        var invalid = Poison("INVALID_UTF8", location(#""latitude":48.1,"longitude":11.5,"note":"?","timestamp":1"#))
        if let place = invalid.value.firstIndex(of: UInt8(ascii: "?")) { invalid.value[place] = 0xff }
        list.append(invalid)
        let good = location(#""latitude":48.1,"longitude":11.5,"timestamp":1770000000000"#)
        for id in HostileText.all { list.append(Poison("INVALID_KEY", good, key: id)) }
        return list
    }()

    @Test("every kind becomes a dead letter with its reason, unchanged, and the partition goes on")
    func poisonsBecomeDeadLetters() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        try await stack.start("location-worker")
        let good = Self.location(#""latitude":48.1,"longitude":11.5,"timestamp":1770000000000"#)
        try send(Self.poisons.map { ($0.key, $0.value) } + [("drv_1", Array(good.utf8))], in: stack)
        var letters: [(value: [UInt8], headers: [String: String])] = []
        try await eventually("all dead letters and the verdict are written") {
            letters = try read(.locationsDeadLetter, in: stack)
            return try letters.count == Self.poisons.count && read(.locations, in: stack).count == 1
        }
        for (letter, poison) in zip(letters, Self.poisons) {
            #expect(letter.value == poison.value)
            #expect(letter.headers["__connect.errors.exception.class.name"] == poison.code)
            #expect(letter.headers["__connect.errors.topic"]?.hasSuffix("driver.locations.raw") == true)
        }
        let verdict = try #require(try read(.locations, in: stack).first)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(verdict.value)) as? [String: Any])
        #expect(json["event_id"] as? String == "0-\(Self.poisons.count)")
        #expect(json["verdict"] as? String == "accepted")
    }

    private func configuration(_ stack: PipelineStack) -> KafkaConfiguration {
        KafkaConfiguration(
            bootstrapServers: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "",
            properties: ["message.max.bytes": "2000000"])
    }

    private func name(_ topic: PipelineTopic, _ stack: PipelineStack) -> String {
        (stack.environment["SIGHTLINE_TOPIC_PREFIX"] ?? "") + topic.rawValue
    }

    private func send(_ records: [(key: String, value: [UInt8])], in stack: PipelineStack) throws {
        let producer = try KafkaProducer(configuration(stack)) { _ in }
        let topic = try producer.topic(name(.rawLocations, stack))
        for (ticket, record) in records.enumerated() {
            ByteSlice.withBytes(of: record.key) { key in
                record.value.withUnsafeBytes { value in
                    _ = producer.produce(
                        .init(key: key, value: ByteSlice(value), timestamp: Timestamp(milliseconds: 1_770_000_000_000)),
                        to: topic, partition: 0, token: ticket)
                }
            }
        }
        _ = try producer.flush(deadline: .now + .seconds(10)) { _, _ in }
        producer.close()
    }

    private func read(
        _ topic: PipelineTopic, in stack: PipelineStack
    ) throws -> [(value: [UInt8], headers: [String: String])] {
        let reader = try KafkaReader(configuration(stack)) { _ in }
        defer { reader.close() }
        var records: [(value: [UInt8], headers: [String: String])] = []
        try reader.readToEnd([TopicPartition(topic: name(topic, stack), partition: 0): .position(.beginning)]) {
            _, _, message in
            records.append(
                (
                    Array(message.record.value?.buffer ?? UnsafeRawBufferPointer(start: nil, count: 0)),
                    message.textHeaders
                ))
        }
        return records
    }
}
