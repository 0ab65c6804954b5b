import CSimdJSON
import Testing

@testable import Codec
@testable import Domain
@testable import Processing
@testable import Support

@Suite("Unreadable fixes of a batch")
struct UnreadableFixesTests {
    private let deadLetter = DeadLetter(
        topic: "driver.locations.raw", stage: "location", processor: "RawRecordReader", output: 1)

    /// Returns headers of the dead letter of a batch whose fixes have these faults.
    private func headers(
        _ faults: [(reason: DeadLetterReason, field: sl_key)?]
    ) -> (fixes: String?, message: String?, count: Int) {
        let fixes = faults.map { fault in
            var raw = RawFix(fix: Fix(coordinate: Coordinate(latitude: 1, longitude: 1)))
            raw.unreadable = fault?.reason
            raw.unreadableField = fault.map { FieldName(key: $0.field) } ?? .none
            return raw
        }
        var outputs = OutputBatch()
        let event = EventID(partition: 0, offset: 1)
        let record = InputRecord(
            partition: 0, offset: 1, timestamp: Timestamp(milliseconds: 5), key: .empty, value: .empty)
        let count = deadLetter.write(record, event: event, batch: fixes, into: &outputs)
        func header(_ name: String) -> String? {
            outputs.headers.first { "\($0.name)" == name }.map { outputs.bytes.slice($0.value).string }
        }
        #expect(outputs.outputs.count == min(1, count))
        return (header("sightline-unreadable-fixes"), header("__connect.errors.exception.message"), count)
    }

    @Test("consecutive fixes with the same fault are one run")
    func runs() {
        let actual = headers([
            nil, (.outOfRange, SL_KEY_LATITUDE), (.outOfRange, SL_KEY_LATITUDE), (.outOfRange, SL_KEY_LONGITUDE), nil,
            (.missingField, SL_KEY_TIMESTAMP),
        ])
        #expect(actual.count == 4)
        #expect(
            actual.fixes == #"{"unreadable":4,"of":6,"runs":["#
                + #"{"first":1,"last":2,"reason":"OUT_OF_RANGE","field":"latitude"},"#
                + #"{"first":3,"last":3,"reason":"OUT_OF_RANGE","field":"longitude"},"#
                + #"{"first":5,"last":5,"reason":"MISSING_FIELD","field":"timestamp"}]}"#)
        #expect(actual.message == "latitude in the record is outside -90 to 90")
    }

    @Test("a readable batch gives no dead letter")
    func none() {
        let actual = headers([nil, nil])
        #expect(actual.fixes == nil && actual.count == 0)
    }

    @Test("at most 64 runs are listed, and all fixes are counted")
    func bound() throws {
        for (runs, listed) in [(63, 63), (64, 64), (65, 64), (250, 64)] {
            let actual = headers((0..<2 * runs).map { $0 % 2 == 0 ? (.wrongType, SL_KEY_SPEED) : nil })
            let text = try #require(actual.fixes)
            #expect(text.hasPrefix("{\"unreadable\":\(runs),\"of\":\(2 * runs),"))
            #expect(text.split(separator: "\"first\"").count - 1 == listed)
            #expect(text.utf8.count < 8192)
        }
    }
}
