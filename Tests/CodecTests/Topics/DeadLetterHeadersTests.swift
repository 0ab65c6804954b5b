import Testing

@testable import Codec
@testable import Model
@testable import Processing
@testable import Support

@Suite("What the headers of a dead letter say")
struct DeadLetterHeadersTests {
    private let deadLetter = DeadLetter(
        topic: "test.driver.locations.raw", stage: "location", processor: "LocationStage", output: 1)

    /// The headers of a record that was written as a dead letter.
    private func headers(
        _ reason: DeadLetterReason, field: String = "", form: RecordForm = .rawLocations
    ) -> DeadLetterHeaders {
        var outputs = OutputBatch()
        ByteSlice.withBytes(of: "drv_17") { key in
            ByteSlice.withBytes(of: #"{"latt":1}"#) { value in
                let record = InputRecord(
                    partition: 3, offset: 184_467, timestamp: Timestamp(milliseconds: 5), key: key, value: value)
                deadLetter.write(
                    record, clock: EventID(partition: 3, offset: 184_467), reason: reason, field: field, form: form,
                    into: &outputs)
            }
        }
        let pairs = outputs.headers.map { ("\($0.name)", outputs.bytes.slice($0.value).string) }
        return DeadLetterHeaders(Dictionary(uniqueKeysWithValues: pairs))
    }

    @Test("reason, source and field are read back from what was written, the field also where more is said of it")
    func written() {
        let missing = headers(.missingField, field: "latitude")
        #expect(missing.reason == "MISSING_FIELD")
        #expect(missing.field == "latitude")
        #expect(missing.message.contains("accepted names"))
        #expect(missing.topic == "test.driver.locations.raw" && missing.partition == 3 && missing.offset == 184_467)
        #expect(headers(.outOfRange, field: "stops[2].latitude").field == "stops[2].latitude")
        #expect(headers(.malformedJSON).field == nil)
    }

    @Test("a record without such headers has no reason")
    func foreign() {
        let headers = DeadLetterHeaders(["trace": "1"])
        #expect(headers.reason == nil && headers.field == nil && headers.offset == nil && headers.message.isEmpty)
    }
}
