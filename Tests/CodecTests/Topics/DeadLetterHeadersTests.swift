import Testing

@testable import Codec
@testable import Domain
@testable import Processing
@testable import Support

@Suite("Headers of dead letters")
struct DeadLetterHeadersTests {
    private let deadLetter = DeadLetter(
        topic: "test.driver.locations.raw", stage: "location", processor: "LocationStage", output: 1)

    private func headers(
        _ reason: DeadLetterReason, field: String = "", format: RecordFormat = .rawLocations
    ) -> DeadLetterHeaders {
        var outputs = OutputBatch()
        ByteSlice.withBytes(of: "drv_17") { key in
            ByteSlice.withBytes(of: #"{"latt":1}"#) { value in
                let record = InputRecord(
                    partition: 3, offset: 184_467, timestamp: Timestamp(milliseconds: 5), key: key, value: value)
                deadLetter.write(
                    record, event: EventID(partition: 3, offset: 184_467), reason: reason, field: field, format: format,
                    into: &outputs)
            }
        }
        let pairs = outputs.headers.map { ("\($0.name)", outputs.bytes.slice($0.value).string) }
        return DeadLetterHeaders(Dictionary(uniqueKeysWithValues: pairs))
    }

    @Test("reason, source and field are read back")
    func written() {
        let missing = headers(.missingField, field: "latitude")
        #expect(missing.reason == "MISSING_FIELD")
        #expect(missing.field == "latitude")
        #expect(missing.message.contains("accepted names"))
        #expect(missing.topic == "test.driver.locations.raw" && missing.partition == 3 && missing.offset == 184_467)
        #expect(headers(.outOfRange, field: "stops[2].latitude").field == "stops[2].latitude")
        #expect(headers(.malformedJSON).field == nil)
    }

    @Test("a record without dead-letter headers has no reason")
    func foreign() {
        let headers = DeadLetterHeaders(["trace": "1"])
        #expect(headers.reason == nil && headers.field == nil && headers.offset == nil && headers.message.isEmpty)
    }
}
