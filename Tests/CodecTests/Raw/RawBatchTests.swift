import CSimdJSON
import Testing

@testable import Codec
@testable import Support

@Suite("Reading batch uploads")
struct RawBatchTests {
    private let reader = RawRecordReader()

    @Test("a batch may mix both formats, and its fixes are in order and marked as batched")
    func dialects() {
        let result = reader.read(RawSamples.batch([RawSamples.rideshare, RawSamples.mobile, RawSamples.good()]))
        guard case .fixes(isBatch: true) = result else {
            Issue.record("not a batch: \(result)")
            return
        }
        #expect(reader.fixes.map(\.fix.isBatched) == [true, true, true])
        #expect(reader.fixes.map(\.fix.coordinate.latitude) == [37.7751, 37.7751, 1])
        #expect(reader.fixes.allSatisfy { $0.unreadable == nil && $0.fix.isCached })
    }

    @Test("elements without a session or trip inherit the batch's")
    func inheritance() {
        let batch =
            "{\"locations\":[\(RawSamples.rideshare),\(RawSamples.good())],\"type\":\"location_batch\","
            + "\"session_id\":\"s9\",\"trip_id\":\"t9\"}"
        guard case .fixes(isBatch: true) = reader.read(batch) else {
            Issue.record("not a batch")
            return
        }
        #expect(reader.fixes.map(\.sessionID.string) == ["s1", "s9"])
        #expect(reader.fixes.map(\.tripID.string) == ["tr_4e5f", "t9"])
        #expect(reader.fixes.map(\.fix.isOnTrip) == [true, true])
        #expect(reader.fixes[1].fix.sessionHash == sl_hash(Array("s9".utf8), 2))
    }

    @Test("an unreadable element has its reason, and other elements are read")
    func badElements() {
        let elements = [
            RawSamples.good(), "7", "null", "{\"type\":\"weather\"}", RawSamples.payload("\"latitude\":1"),
            RawSamples.good("\"latitude\":\"x\""), RawSamples.good("\"driver_id\":\"other\""), RawSamples.good(),
        ]
        guard case .fixes(isBatch: true) = reader.read(RawSamples.batch(elements)) else {
            Issue.record("not a batch")
            return
        }
        #expect(
            reader.fixes.map(\.unreadable) == [
                nil, .wrongType, .missingField, .unknownType, .missingField, .wrongType, .keyMismatch, nil,
            ])
        #expect("\(reader.fixes[4].unreadableField)" == "longitude")
        #expect("\(reader.fixes[5].unreadableField)" == "latitude")
    }

    @Test("elements before the last readable element are marked as having a later fix")
    func followed() {
        _ = reader.read(RawSamples.batch([RawSamples.good(), "7", RawSamples.good(), RawSamples.good(), "7", "null"]))
        #expect(reader.fixes.map(\.hasLaterFix) == [true, true, true, false, false, false])
        _ = reader.read(RawSamples.batch(["7", "8"]))
        #expect(reader.fixes.map(\.hasLaterFix) == [false, false])
        _ = reader.read(RawSamples.rideshare)
        #expect(reader.fixes.map(\.hasLaterFix) == [false])
    }

    @Test("elements may omit their type")
    func typeless() {
        let element = "{\"coordinate\":{\"latitude\":1,\"longitude\":2},\"sequence\":3}"
        guard case .fixes(isBatch: true) = reader.read(RawSamples.batch([element])) else {
            Issue.record("not a batch")
            return
        }
        #expect(reader.fixes.map(\.unreadable) == [nil])
    }

    @Test("500 fixes are read and 501 are refused", arguments: [1, 499, 500, 501])
    func size(count: Int) {
        let result = reader.read(RawSamples.batch(Array(repeating: RawSamples.good(), count: count)))
        if count <= 500 {
            #expect(result.reason == nil)
            #expect(reader.fixes.count == count)
        } else {
            #expect(result.reason == .batchTooLarge)
            #expect(reader.fixes.isEmpty)
        }
    }

    @Test("a batch without fixes is refused")
    func empty() {
        #expect(reader.read(RawSamples.batch([])).reason == .missingField)
        #expect(reader.read("{\"type\":\"location_batch\"}").reason == .missingField)
        #expect(reader.read("{\"type\":\"location_batch\",\"locations\":null}").detail == "locations")
        #expect(reader.read("{\"type\":\"location_batch\",\"locations\":{}}").reason == .wrongType)
    }

    @Test("a fault in the batch's own members makes the whole batch unreadable")
    func wholeBatch() {
        let good = RawSamples.good()
        #expect(
            reader.read("{\"type\":\"location_batch\",\"driver_id\":\"x\",\"locations\":[\(good)]}").reason
                == .keyMismatch)
        #expect(reader.read("{\"type\":\"location_batch\",\"locations\":[\(good),]}").reason == .malformedJSON)
        #expect(reader.read("{\"type\":\"location_batch\",\"locations\":[\(good) \(good)]}").reason == .malformedJSON)
    }

    @Test("a batch inside a batch is an unreadable element")
    func nested() {
        let result = reader.read(RawSamples.batch([RawSamples.batch([RawSamples.good()])]))
        #expect(result.reason == nil)
        #expect(reader.fixes.map(\.unreadable) == [.unknownType])
    }

    @Test("a batch of 1 MiB is read, and one byte more is refused")
    func bytes() {
        let limit = RawLimits.batchBytes
        let core = RawSamples.batch(Array(repeating: RawSamples.rideshare, count: 500))
        for (count, reason) in [(limit, nil), (limit + 1, DeadLetterReason.tooLarge)] {
            let padded = core + String(repeating: " ", count: count - core.utf8.count)
            #expect(reader.read(padded).reason == reason)
        }
    }
}
