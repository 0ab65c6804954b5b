import Testing

@testable import Codec
@testable import Model
@testable import Processing
@testable import Support

@Suite("The fixes of a batch that cannot be read")
struct UnreadableFixesTests {
    private let deadLetter = DeadLetter(
        topic: "driver.locations.raw", stage: "location", processor: "RawRecordReader", output: 1)

    /// The headers of the dead letter of a batch, with what is wrong with each of its fixes.
    private func headers(
        _ faults: [(reason: DeadLetterReason, field: StaticString)?]
    ) -> (fixes: String?, message: String?, count: Int) {
        let fixes = faults.map { fault in
            var raw = RawFix(fix: Fix(coordinate: Coordinate(latitude: 1, longitude: 1)))
            raw.unreadable = fault?.reason
            raw.unreadableField = fault?.field ?? ""
            return raw
        }
        var outputs = OutputBatch()
        let event = EventID(partition: 0, offset: 1)
        let record = InputRecord(
            partition: 0, offset: 1, timestamp: Timestamp(milliseconds: 5), key: .empty, value: .empty)
        let count = deadLetter.write(record, clock: event, batch: fixes, into: &outputs)
        func header(_ name: String) -> String? {
            outputs.headers.first { "\($0.name)" == name }.map { outputs.bytes.slice($0.value).string }
        }
        #expect(outputs.outputs.count == min(1, count))
        return (header("sightline-unreadable-fixes"), header("__connect.errors.exception.message"), count)
    }

    @Test("neighbours with the same fault are named together, and others apart")
    func runs() {
        let found = headers([
            nil, (.outOfRange, "latitude"), (.outOfRange, "latitude"), (.outOfRange, "longitude"), nil,
            (.missingField, "timestamp"),
        ])
        #expect(found.count == 4)
        #expect(
            found.fixes == #"{"unreadable":4,"of":6,"runs":["#
                + #"{"first":1,"last":2,"reason":"OUT_OF_RANGE","field":"latitude"},"#
                + #"{"first":3,"last":3,"reason":"OUT_OF_RANGE","field":"longitude"},"#
                + #"{"first":5,"last":5,"reason":"MISSING_FIELD","field":"timestamp"}]}"#)
        #expect(found.message == "latitude in the record is outside -90 to 90")
    }

    @Test("a batch that can be read makes no dead letter")
    func none() {
        let found = headers([nil, nil])
        #expect(found.fixes == nil && found.count == 0)
    }

    @Test("at most 64 runs are named, and all are counted")
    func bound() throws {
        for (runs, named) in [(63, 63), (64, 64), (65, 64), (250, 64)] {
            let found = headers((0..<2 * runs).map { $0 % 2 == 0 ? (.wrongType, "speed") : nil })
            let text = try #require(found.fixes)
            #expect(text.hasPrefix("{\"unreadable\":\(runs),\"of\":\(2 * runs),"))
            #expect(text.split(separator: "\"first\"").count - 1 == named)
            #expect(text.utf8.count < 8192)
        }
    }
}
