import Testing

@testable import Codec
@testable import Domain
@testable import Processing
@testable import Support

@Suite("Dead letters")
struct DeadLetterTests {
    private let deadLetter = DeadLetter(
        topic: "test.driver.locations.raw", stage: "location", processor: "LocationStage", output: 1)

    private func header(_ name: StaticString, _ outputs: borrowing OutputBatch) -> String? {
        outputs.headers.first { "\($0.name)" == "\(name)" }.map { outputs.bytes.slice($0.value).string }
    }

    @Test("a dead letter is the unchanged record with headers for its source and fault")
    func headers() throws {
        var outputs = OutputBatch()
        let event = EventID(partition: 3, offset: 184_467).withFix(2)
        ByteSlice.withBytes(of: "drv_17") { key in
            ByteSlice.withBytes(of: "{\"type\":") { value in
                let record = InputRecord(
                    partition: 3, offset: 184_467, timestamp: Timestamp(milliseconds: 5), key: key, value: value)
                deadLetter.write(
                    record, event: event, reason: .missingField, field: "type", format: .trips, into: &outputs)
            }
        }
        let output = try #require(outputs.outputs.first)
        #expect(output.topic == 1)
        #expect(output.event == event)
        #expect(output.timestamp == Timestamp(milliseconds: 5))
        #expect(output.copiesInputHeaders)
        #expect(outputs.bytes.slice(output.key).string == "drv_17")
        #expect(output.value.map { outputs.bytes.slice($0).string } == "{\"type\":")
        #expect(output.headers == 0..<10)
        #expect(header("__connect.errors.topic", outputs) == "test.driver.locations.raw")
        #expect(header("__connect.errors.partition", outputs) == "3")
        #expect(header("__connect.errors.offset", outputs) == "184467")
        #expect(header("__connect.errors.connector.name", outputs) == "sightline-location")
        #expect(header("__connect.errors.task.id", outputs) == "3")
        #expect(header("__connect.errors.stage", outputs) == "VALUE_CONVERTER")
        #expect(header("__connect.errors.class.name", outputs) == "LocationStage")
        #expect(header("__connect.errors.exception.class.name", outputs) == "MISSING_FIELD")
        #expect(header("__connect.errors.exception.message", outputs) == "type is missing")
        #expect(header("sightline-field", outputs) == "type")
    }

    @Test("null and empty values are preserved, and the message contains no field if the fault has none")
    func values() {
        var outputs = OutputBatch()
        ByteSlice.withBytes(of: "drv_17") { key in
            for value in [nil, ByteSlice.empty] {
                let record = InputRecord(
                    partition: 0, offset: 1, timestamp: Timestamp(milliseconds: 5), key: key, value: value)
                deadLetter.write(
                    record, event: EventID(partition: 0, offset: 1), reason: .emptyValue, format: .rawLocations,
                    into: &outputs)
            }
        }
        #expect(outputs.outputs.map { $0.value?.count } == [nil, 0])
        #expect(header("__connect.errors.exception.message", outputs) == "The record has no value")
    }

    @Test("a value that exceeds 1.5 MiB together with its key is omitted and reported")
    func tooLargeForTheTopic() throws {
        let key = "drv_17"
        let limit = 3 * 512 * 1024
        let room = limit - key.utf8.count
        for (size, isKept) in [(room - 1, true), (room, true), (room + 1, false), (40 * limit, false)] {
            var outputs = OutputBatch()
            let value = [UInt8](repeating: UInt8(ascii: "x"), count: size)
            ByteSlice.withBytes(of: key) { key in
                value.withUnsafeBytes { value in
                    let record = InputRecord(
                        partition: 0, offset: 1, timestamp: Timestamp(milliseconds: 5), key: key,
                        value: ByteSlice(value))
                    deadLetter.write(
                        record, event: EventID(partition: 0, offset: 1), reason: .tooLarge, format: .rawLocations,
                        into: &outputs)
                }
            }
            let output = try #require(outputs.outputs.first)
            #expect(output.value?.count == (isKept ? size : nil))
            #expect(header("sightline-omitted", outputs) == (isKept ? nil : "value"))
            #expect(header("sightline-value-bytes", outputs) == (isKept ? nil : "\(size)"))
            #expect(outputs.bytes.count < limit + 4096)
        }
    }

    @Test("a key of 2 MiB is omitted")
    func keyTooLarge() throws {
        var outputs = OutputBatch()
        let key = [UInt8](repeating: UInt8(ascii: "k"), count: 2 << 20)
        key.withUnsafeBytes { key in
            let record = InputRecord(
                partition: 0, offset: 1, timestamp: Timestamp(milliseconds: 5), key: ByteSlice(key), value: .empty)
            deadLetter.write(
                record, event: EventID(partition: 0, offset: 1), reason: .invalidKey, format: .rawLocations,
                into: &outputs)
        }
        let output = try #require(outputs.outputs.first)
        #expect(output.key.isEmpty && output.value?.count == 0)
        #expect(header("sightline-omitted", outputs) == "key")
    }
}
