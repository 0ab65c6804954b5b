import Testing

@testable import Codec
@testable import Support

@Suite("Refusing raw records")
struct RawRefusalTests {
    private let reader = RawRecordReader()

    @Test(
        "values that are not one JSON object are refused",
        arguments: [
            ("{", DeadLetterReason.malformedJSON), ("}", .malformedJSON), ("{\"type\"", .malformedJSON),
            ("{\"type\":}", .malformedJSON), ("{\"type\":\"location\",}", .malformedJSON),
            ("{type:\"location\"}", .malformedJSON), ("{'type':'location'}", .malformedJSON), ("nope", .malformedJSON),
            ("{} {}", .malformedJSON), ("{}x", .malformedJSON), ("{\"a\":1]", .malformedJSON),
            ("{\"a\":[1}", .malformedJSON), ("{\"a\":tru}", .malformedJSON), ("{\"a\":01}", .malformedJSON),
            ("{\"a\":1.}", .malformedJSON), ("{\"a\":+1}", .malformedJSON), ("{\"a\":.5}", .malformedJSON),
            ("{\"a\":\"\\x\"}", .malformedJSON), ("{\"a\":\"\\ud800\"}", .malformedJSON),
            ("{\"a\":\"\\udc00\\ud800\"}", .malformedJSON), ("{\"a\":\"\\u0000\"}", .malformedJSON),
            ("{\"\\ud800\":1}", .malformedJSON), ("{\"a\":\"\n\"}", .malformedJSON), ("{\"a\" 1}", .malformedJSON),
            ("{\"a\":1 \"b\":2}", .malformedJSON), ("{\"a\":1,,\"b\":2}", .malformedJSON),
            ("{\"a\":--1}", .malformedJSON),
            ("{\"a\":1e}", .malformedJSON), ("{\"a\":nul}", .malformedJSON), ("{\"a\":\"", .malformedJSON),
            ("[]", .malformedJSON), ("7", .malformedJSON), ("\"text\"", .malformedJSON), ("null", .malformedJSON),
            ("   ", .emptyValue),
            ("{}", .missingField),
        ])
    func malformed(text: String, reason: DeadLetterReason) {
        #expect(reader.read(text).reason == reason)
        #expect(reader.fixes.isEmpty)
    }

    @Test("a record without value is empty")
    func empty() {
        let reasons = ByteSlice.withBytes(of: "drv_17") { key in
            [reader.read(key: key, value: nil).reason, reader.read(key: key, value: .empty).reason]
        }
        #expect(reasons == [.emptyValue, .emptyValue])
    }

    @Test(
        "unknown types are refused with the field's name",
        arguments: ["\"weather\"", "\"\"", "\"locations\"", "\"location\\n\""])
    func unknownType(type: String) {
        let result = reader.read("{\"type\":\(type),\"payload\":{\"latitude\":1,\"longitude\":2,\"sequence\":1}}")
        #expect(result.reason == .unknownType)
        #expect(result.detail == "type")
    }

    @Test("in a record without position and locations the latitude is missing, and a type must be text")
    func type() {
        for record in [
            "{}", "{\"payload\":{\"sequence\":1}}", "{\"id\":\"x\",\"timestamp\":1741977135123}",
            "{\"location\":{\"coords\":{\"latitude\":1,\"longitude\":2},\"timestamp\":1741977135123}}",
        ] {
            #expect(reader.read(record).reason == .missingField)
            #expect(reader.read(record).detail == "latitude")
        }
        #expect(reader.read("{\"type\":null}").reason == .missingField)
        #expect(reader.read("{\"type\":7}").reason == .wrongType)
    }

    @Test(
        "a missing required field is reported by name",
        arguments: [
            ("\"longitude\":2,\"timestamp\":1741977135123", "latitude"),
            ("\"latitude\":1,\"timestamp\":1741977135123", "longitude"),
            ("\"latitude\":1,\"longitude\":2", "timestamp"),
            ("\"latitude\":null,\"longitude\":2,\"sequence\":1", "latitude"),
        ])
    func missing(members: String, field: String) {
        let result = reader.read(RawSamples.payload(members))
        #expect(result.reason == .missingField)
        #expect(result.detail == field)
    }

    @Test(
        "values of the wrong type are refused with the field's name",
        arguments: [
            "\"latitude\":\"37.7\"", "\"latitude\":true", "\"latitude\":[1]", "\"latitude\":{}", "\"speed_mps\":\"3\"",
            "\"heading\":false", "\"accuracy_meters\":[]", "\"trip_id\":7", "\"session_id\":{}", "\"source\":1",
            "\"integrity\":true", "\"is_mock\":\"false\"", "\"is_mock\":0", "\"battery_percent\":\"72\"",
            "\"sequence\":\"1\"", "\"sequence\":1.5", "\"coordinate\":[1,2]", "\"accuracy\":\"5\"",
            "\"metadata\":\"x\"",
            "\"timestamp\":true", "\"timestamp\":{}", "\"driver_id\":17",
        ])
    func wrongType(member: String) {
        let result = reader.read(RawSamples.good(member))
        #expect(result.reason == .wrongType)
        let name = member.dropFirst().prefix { $0 != "\"" }
        #expect(result.detail.map { $0 == name } == true)
    }

    @Test("a payload that is not an object is refused")
    func payload() {
        #expect(reader.read("{\"type\":\"location\",\"payload\":\"x\"}").reason == .wrongType)
        #expect(reader.read("{\"type\":\"location\",\"payload\":[]}").detail == "payload")
    }

    @Test(
        "numbers at the limits of their range are read, and numbers beyond the limits are refused",
        arguments: [
            ("latitude", "90", "90.0000001"), ("latitude", "-90", "-90.0000001"), ("longitude", "180", "180.0000001"),
            ("longitude", "-180", "-180.0000001"), ("speed_mps", "1000000", "1000001"),
            ("accuracy_meters", "100000000", "100000001"), ("heading", "36000", "36001"),
            ("altitude_meters", "-10000000", "-10000001"), ("battery_percent", "100", "101"),
            ("occupancy_percent", "1000", "1001"), ("sequence", "0", "-1"),
            ("sequence", "9223372036854775807", "9223372036854775808"),
            ("timestamp", "253402300799999", "253402300800000"),
            ("timestamp", "0", "-1"),
        ])
    func ranges(name: String, inside: String, outside: String) {
        #expect(reader.read(RawSamples.good("\"\(name)\":\(inside)")).reason == nil)
        let result = reader.read(RawSamples.good("\"\(name)\":\(outside)"))
        #expect(result.reason == .outOfRange)
        #expect(result.detail == name)
    }

    @Test(
        "numbers of known fields that are not finite are refused with their own reason",
        arguments: ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + String(repeating: "0", count: 400)])
    func notFinite(number: String) {
        for name in ["latitude", "speed_mps", "timestamp", "sequence"] {
            #expect(reader.read(RawSamples.good("\"\(name)\":\(number)")).reason == .notFinite)
        }
        #expect(reader.read(RawSamples.good("\"extra\":\(number)")).reason == .malformedJSON)
    }

    @Test("numbers with very many digits are read")
    func manyDigits() {
        let number = "1." + String(repeating: "3", count: 2000)
        #expect(reader.single(RawSamples.good("\"speed_mps\":\(number)"))?.fix.speedMetersPerSecond == 4.0 / 3)
        #expect(reader.single(RawSamples.good("\"speed_mps\":1e-999"))?.fix.speedMetersPerSecond == 0)
    }

    @Test(
        "invalid times are refused",
        arguments: [
            "", "now", "2025-03-14", "2025-03-14T18:32:15", "2025-03-14T18:32:15.Z", "2025-02-29T00:00:00Z",
            "2025-13-01T00:00:00Z", "2025-00-01T00:00:00Z", "2025-01-00T00:00:00Z", "2025-01-32T00:00:00Z",
            "2025-03-14T24:00:00Z", "2025-03-14T18:60:00Z", "2025-03-14T18:32:61Z", "2025-03-14T18:32:15+24:00",
            "2025-03-14T18:32:15+01:60", "2025-03-14T18:32:15Zx", "25-03-14T18:32:15Z", "1969-12-31T23:59:59.999Z",
            "2025-03-14T18:32:15+1", "1741977135123",
        ])
    func timestamps(text: String) {
        let result = reader.read(RawSamples.good("\"timestamp\":\"\(text)\""))
        #expect(result.reason == .invalidTimestamp)
        #expect(result.detail == "timestamp")
    }

    @Test("the key is a driver id of 1 to 128 letters, digits and _ - . :")
    func keys() {
        let good = RawSamples.good()
        let longest = String(repeating: "x", count: 128)
        #expect(reader.read(good, key: longest).reason == nil)
        #expect(reader.read(good, key: "aZ09_-.:").reason == nil)
        #expect(reader.read(good, key: "").reason == .missingKey)
        for key in [longest + "x", "a b", "a/b", "é", "a\"", "a\u{0}", "@", "[", "`", "{", ",", ";"] {
            #expect(reader.read(good, key: key).reason == .invalidKey)
        }
    }

    @Test("a driver id in the record must equal the key")
    func keyMismatch() {
        #expect(reader.read("{\"driver_id\":\"x\"," + RawSamples.good().dropFirst()).reason == .keyMismatch)
        #expect(reader.read(RawSamples.good("\"driver_id\":\"drv_1\"")).reason == .keyMismatch)
        #expect(reader.read(RawSamples.good("\"driver_id\":\"drv_17\"")).reason == nil)
        #expect(reader.read(RawSamples.good("\"driver_id\":\"drv_1\",\"driver_id\":\"drv_17\"")).reason == .keyMismatch)
        #expect(reader.read(RawSamples.good("\"driver_id\":\"drv_\\u00317\"")).reason == nil)
        #expect(reader.read(RawSamples.good("\"driver_id\":null")).reason == nil)
    }

    @Test("identifiers are at most 128 bytes without control characters")
    func identifiers() {
        let longest = String(repeating: "s", count: 128)
        #expect(reader.read(RawSamples.good("\"session_id\":\"\(longest)\"")).reason == nil)
        #expect(reader.read(RawSamples.good("\"session_id\":\"\(longest)s\"")).reason == .invalidID)
        #expect(reader.read(RawSamples.good("\"trip_id\":\"\(longest)s\"")).reason == .invalidID)
        #expect(reader.read(RawSamples.good("\"trip_id\":\"a\\nb\"")).reason == .invalidID)
        #expect(reader.single(RawSamples.good("\"trip_id\":\"\""))?.fix.isOnTrip == false)
    }

    @Test(
        "bytes that are not UTF-8 are refused", arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]])
    func invalidUTF8(bytes: [UInt8]) {
        let parts = RawSamples.good("\"session_id\":\"!\"").split(separator: "!").map { Array($0.utf8) }
        #expect(reader.read(parts[0] + bytes + parts[1]).reason == .invalidUTF8)
    }

    @Test("bytes that are not UTF-8 are refused with that reason, even if they include quotes", arguments: 0...3)
    func invalidUTF8WithQuotes(quotes: Int) {
        let time = Array(repeating: UInt8(ascii: "\""), count: quotes) + Array(repeating: 0, count: 4 - quotes)
        #expect(
            reader.read([0x1F, 0x8B, 0x08, 0x00] + time + [0x02, 0xFF]).reason == .invalidUTF8, "a header of gzip")
        #expect(reader.read(Array("{".utf8) + time + [0xFF]).reason == .invalidUTF8)
    }

    @Test("an unclosed string of valid UTF-8 is malformed JSON")
    func unclosedString() { #expect(reader.read("{\"session_id\":\"é").reason == .malformedJSON) }

    @Test("a single fix of 64 KiB is read, and larger records are refused")
    func tooLarge() {
        let core = RawSamples.good()
        for (count, reason) in [
            (65536, nil), (65537, DeadLetterReason.tooLarge), (1 << 20, .tooLarge), (1 << 21, .tooLarge),
        ] {
            let padding = String(repeating: "x", count: count - core.utf8.count - 7)
            #expect(reader.read(core.dropLast(2) + ",\"x\":\"" + padding + "\"}}").reason == reason)
        }
    }

    @Test("values nested 60 deep are ignored, values nested 70 deep or deeper are malformed")
    func deepNesting() {
        func nested(_ depth: Int) -> String {
            RawSamples.good("\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        #expect(reader.read(nested(60)).reason == nil)
        #expect(reader.read(nested(70)).reason == .malformedJSON)
        #expect(reader.read(nested(30_000)).reason == .malformedJSON)
        #expect(reader.read(String(repeating: "[", count: 60_000)).reason == .malformedJSON)
        #expect(reader.read(String(repeating: "{\"a\":", count: 10_000)).reason == .malformedJSON)
        #expect(
            reader.read(String(repeating: "{\"payload\":", count: 5000) + "1" + String(repeating: "}", count: 5000))
                .reason == .malformedJSON)
    }

    @Test("a reader reads the next record after a refused record")
    func recovers() {
        _ = reader.read("{\"type\":")
        #expect(reader.single(RawSamples.rideshare) != nil)
    }

    @Test("every reason has a unique code and sentence")
    func reasons() {
        #expect(Set(DeadLetterReason.allCases.map { "\($0.code)" }).count == DeadLetterReason.allCases.count)
        #expect(Set(DeadLetterReason.allCases.map { "\($0.sentence)" }).count == DeadLetterReason.allCases.count)
    }
}
