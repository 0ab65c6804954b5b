import CSimdJSON
import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Reading raw records")
struct RawRecordReaderTests {
    private let reader = RawRecordReader()

    @Test("a rideshare record is read with all its fields")
    func rideshare() throws {
        let raw = try #require(reader.single(RawSamples.rideshare))
        #expect(raw.fix.coordinate == Coordinate(latitude: 37.7751, longitude: -122.4183))
        #expect(raw.fix.accuracyMeters == 5.2)
        #expect(raw.fix.headingDegrees == 45)
        #expect(raw.fix.speedMetersPerSecond == 12.5)
        #expect(raw.fix.altitudeMeters == 15)
        #expect(raw.fix.deviceAt == Timestamp(milliseconds: 1_741_977_135_123))
        #expect(raw.fix.sequence == 1847)
        #expect(raw.fix.source == .gps)
        #expect(raw.fix.integrity == .passed)
        #expect(!raw.fix.isMock)
        #expect(raw.fix.isOnTrip)
        #expect(!raw.fix.isBatched)
        #expect(raw.sessionID == "s1")
        #expect(raw.tripID == "tr_4e5f")
        #expect(raw.batteryPercent == 72)
        #expect(raw.occupancyPercent == 40)
        #expect(raw.unreadable == nil)
    }

    @Test("a mobile record gives the same position and content hash as a rideshare record")
    func mobile() throws {
        let rideshare = try #require(reader.single(RawSamples.rideshare)).fix
        let raw = try #require(reader.single(RawSamples.mobile))
        #expect(raw.fix.coordinate == rideshare.coordinate)
        #expect(raw.fix.altitudeMeters == 15)
        #expect(raw.fix.sequence == 1847)
        #expect(raw.fix.source == .fused)
        #expect(raw.fix.contentHash == rideshare.contentHash)
        #expect(raw.batteryPercent == 72)
        #expect(!raw.fix.isOnTrip)
        #expect(raw.sessionID.isEmpty)
        #expect(raw.fix.sessionHash == 0)
    }

    @Test("driver and session may come before or after the fix, which may be in a payload")
    func gateway() throws {
        let inner = "\"coordinate\":{\"latitude\":1,\"longitude\":2},\"timestamp\":1741977135123"
        for record in [
            "{\"driver_id\":\"drv_17\",\"session_id\":\"s\",\"type\":\"location_update\",\(inner)}",
            "{\(inner),\"type\":\"location_update\",\"session_id\":\"s\",\"driver_id\":\"drv_17\"}",
            "{\"type\":\"location_update\",\"driver_id\":\"drv_17\",\"session_id\":\"s\",\"payload\":{\(inner)}}",
        ] {
            let raw = try #require(reader.single(record))
            #expect(raw.sessionID == "s")
            #expect(raw.fix.sessionHash == sl_hash(Array("s".utf8), 1))
            #expect(raw.fix.coordinate == Coordinate(latitude: 1, longitude: 2))
        }
    }

    @Test("white space and line breaks between tokens change nothing")
    func whiteSpace() throws {
        let compact = try #require(reader.single(RawSamples.good("\"speed_mps\":3"))).fix
        let spaced = RawSamples.good("\"speed_mps\":3").replacing(",", with: "\r\n\t , ").replacing(":", with: " : ")
        let fix = try #require(reader.single(" \n" + spaced + "\n ")).fix
        #expect(fix.contentHash == compact.contentHash)
        #expect(fix.speedMetersPerSecond == 3)
    }

    @Test("a null field counts as missing")
    func null() throws {
        let raw = try #require(
            reader.single(
                RawSamples.good(
                    """
                    "accuracy_meters":null,"heading":null,"speed_mps":null,"trip_id":null,"source":null,\
                    "integrity":null,"is_mock":null,"battery_percent":null,"sequence":null,"coordinate":null
                    """)))
        #expect(raw.fix.accuracyMeters == nil)
        #expect(raw.fix.headingDegrees == nil)
        #expect(raw.fix.speedMetersPerSecond == nil)
        #expect(raw.fix.sequence == nil)
        #expect(!raw.fix.isOnTrip)
        #expect(raw.batteryPercent == nil)
    }

    @Test("the last of two fields with the same name counts, also if it is null")
    func duplicates() throws {
        #expect(reader.single(RawSamples.good("\"speed_mps\":1,\"speed_mps\":2"))?.fix.speedMetersPerSecond == 2)
        let raw = try #require(reader.single(RawSamples.good("\"speed_mps\":1,\"speed_mps\":null")))
        #expect(raw.fix.speedMetersPerSecond == nil)
    }

    @Test("names may have escapes")
    func escapedNames() {
        let escaped = RawSamples.good("\"\\u0073peed_mps\":4")
        #expect(reader.single(escaped)?.fix.speedMetersPerSecond == 4)
    }

    @Test("unknown fields of any kind and depth are ignored")
    func unknownFields() {
        let extra = "\"extra\":{\"a\":[1,-2.5e3,\"x\\n\",true,false,null,{\"latitude\":99}]},\"driver\":[]"
        let record = RawSamples.good(extra)
        #expect(reader.single(record)?.fix.coordinate == Coordinate(latitude: 1, longitude: 2))
    }

    @Test(
        "times are read with any fraction and offset, and as epoch milliseconds",
        arguments: [
            ("\"2025-03-14T18:32:15.123Z\"", 1_741_977_135_123), ("\"2025-03-14T18:32:15Z\"", 1_741_977_135_000),
            ("\"2025-03-14T18:32:15.1239999Z\"", 1_741_977_135_123), ("\"2025-03-14T18:32:15.1z\"", 1_741_977_135_100),
            ("\"2025-03-14t20:02:15.123+01:30\"", 1_741_977_135_123),
            ("\"2025-03-14 10:32:15.123-0800\"", 1_741_977_135_123),
            ("\"2025-03-14T19:32:15.123+01\"", 1_741_977_135_123),
            ("1741977135123", 1_741_977_135_123), ("1741977135123.9", 1_741_977_135_123),
            ("1.741977135123e12", 1_741_977_135_123), ("\"2024-02-29T00:00:00Z\"", 1_709_164_800_000),
            ("\"2016-12-31T23:59:60Z\"", 1_483_228_800_000), ("\"1970-01-01T00:00:00Z\"", 0),
            ("\"9999-12-31T23:59:59.999Z\"", 253_402_300_799_999),
        ])
    func times(text: String, milliseconds: Int64) {
        let record = RawSamples.payload("\"latitude\":1,\"longitude\":2,\"timestamp\":\(text)")
        #expect(reader.single(record)?.fix.deviceAt == Timestamp(milliseconds: milliseconds))
    }

    @Test("numbers of any length and notation are read as the nearest double", arguments: [UInt64(29)])
    func numbers(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            func digits(_ range: ClosedRange<Int>) -> String {
                String(
                    (0..<Int.random(in: range, using: &generator)).map { _ in
                        "0123456789".randomElement(using: &generator) ?? "0"
                    })
            }
            var text = Bool.random(using: &generator) ? "-" : ""
            let whole = digits(1...6)
            text += whole.count > 1 && whole.hasPrefix("0") ? "0" : whole
            if Bool.random(using: &generator) { text += "." + digits(1...20) }
            if Int.random(in: 0..<4, using: &generator) == 0 { text += "e-" + digits(1...2) }
            let fix = reader.single(RawSamples.good("\"altitude_meters\":\(text)"))?.fix
            #expect(fix?.altitudeMeters == Double(text), "seed \(seed): \(text)")
            let last = reader.single(RawSamples.good("\"x\":{\"y\":1},\"altitude_meters\":\(text) "))?.fix
            #expect(last?.altitudeMeters == Double(text), "seed \(seed): \(text)")
        }
    }

    @Test("numbers of 20 or more digits are read as the nearest double", arguments: ["", "0", "00", "3", "123"])
    func longNumbers(more: String) {
        // The digits are 2^64, its neighbours and the largest number of 20 digits; `more` appends up to three.
        for digits in ["18446744073709551615", "18446744073709551616", "18446744073709551617", "99999999999999999999"] {
            for whole in 3...7 {
                let text = "\(digits.prefix(whole)).\(digits.dropFirst(whole))\(more)"
                let fix = reader.single(RawSamples.good("\"altitude_meters\":\(text)"))?.fix
                #expect(fix?.altitudeMeters == Double(text), "\(text)")
            }
        }
    }

    @Test("a record with a sequence number needs no time")
    func sequenceOnly() {
        let raw = reader.single("{\"type\":\"location\",\"sequence\":0,\"payload\":{\"latitude\":1,\"longitude\":2}}")
        #expect(raw?.fix.sequence == 0)
        #expect(raw?.fix.deviceAt == nil)
    }

    @Test("whole numbers are read in any notation")
    func sequenceNotations() {
        #expect(reader.single(RawSamples.good("\"sequence\":12.0"))?.fix.sequence == 12)
        #expect(reader.single(RawSamples.good("\"sequence\":1.2e1"))?.fix.sequence == 12)
        #expect(reader.single(RawSamples.good("\"sequence\":9223372036854775807"))?.fix.sequence == .max)
    }

    @Test("an accuracy of zero is unknown and recorded, and a negative accuracy marks the position as invalid")
    func accuracy() throws {
        let zero = try #require(reader.single(RawSamples.good("\"accuracy_meters\":0.0"))).fix
        #expect(zero.accuracyMeters == nil)
        #expect(zero.hasZeroAccuracy)
        let negative = try #require(reader.single(RawSamples.good("\"accuracy_meters\":-1"))).fix
        #expect(negative.accuracyMeters == nil)
        #expect(!negative.hasZeroAccuracy)
        #expect(negative.hasInvalidPosition && !zero.hasInvalidPosition)
        let nested = try #require(reader.single(RawSamples.good(#""accuracy":{"horizontal":-1}"#))).fix
        #expect(nested.hasInvalidPosition)
        let others = #""speed_mps":-1,"heading":-1,"altitude_accuracy_meters":-1"#
        let valid = try #require(reader.single(RawSamples.good(others))).fix
        #expect(!valid.hasInvalidPosition && valid.speedMetersPerSecond == nil && valid.headingDegrees == nil)
        let some = try #require(reader.single(RawSamples.good("\"accuracy_meters\":0.01"))).fix
        #expect(some.accuracyMeters == 0.01)
        #expect(!some.hasZeroAccuracy)
    }

    @Test(
        "headings are normalised to [0, 360), negative headings and speeds are unknown",
        arguments: [("0", 0.0), ("359.99", 359.99), ("360", 0), ("361.5", 1.5), ("725", 5), ("-1", nil), ("-0.0", 0)])
    func headings(text: String, heading: Double?) throws {
        let fix = try #require(reader.single(RawSamples.good("\"heading\":\(text),\"speed_mps\":-1"))).fix
        #expect(fix.headingDegrees == heading)
        #expect(fix.headingDegrees?.sign != .minus)
        #expect(fix.speedMetersPerSecond == nil)
    }

    @Test("positions at the limits, at a pole and at (0, 0) are readable")
    func positions() {
        for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (0, 0)] {
            let record = RawSamples.payload(
                "\"latitude\":\(latitude),\"longitude\":\(longitude),\"timestamp\":1741977135123")
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            #expect(reader.single(record)?.fix.coordinate == coordinate)
        }
    }

    @Test("battery fractions of the mobile model become percent")
    func battery() {
        func level(_ text: String) -> Int? {
            reader.single(RawSamples.good("\"metadata\":{\"batteryLevel\":\(text)}"))?.batteryPercent
        }
        #expect(level("0.725") == 73)
        #expect(level("1.0") == 100)
        #expect(level("55") == 55)
        #expect(level("-1") == nil)
    }

    @Test("unknown sources and integrity verdicts are accepted as unknown")
    func unknownWords() throws {
        let fix = try #require(
            reader.single(RawSamples.good("\"source\":\"network\",\"integrity\":\"MAYBE\",\"is_mock\":true"))
        ).fix
        #expect(fix.source == .unknown)
        #expect(fix.integrity == .unknown)
        #expect(fix.isMock)
    }

    @Test("all sources and a failed integrity verdict are read")
    func words() {
        for (word, source) in [("gps", Fix.Source.gps), ("wifi", .wifi), ("cellular", .cellular), ("fused", .fused)] {
            #expect(reader.single(RawSamples.good("\"source\":\"\(word)\""))?.fix.source == source)
        }
        #expect(reader.single(RawSamples.good("\"source\":\"cached\""))?.fix.isCached == true)
        #expect(reader.single(RawSamples.good("\"integrity\":\"FAILED\""))?.fix.integrity == .failed)
    }

    @Test("the content hash depends on the values, not on their order and notation")
    func contentHash() throws {
        func hash(_ members: String) throws -> UInt64 {
            try #require(reader.single(RawSamples.payload(members))).fix.contentHash
        }
        let base = try hash(
            "\"latitude\":1.5,\"longitude\":2,\"timestamp\":1741977135123,\"heading\":45,\"speed_mps\":3")
        let reordered = try hash(
            "\"speed_mps\":3.0,\"heading\":4.5e1,\"timestamp\":\"2025-03-14T18:32:15.123Z\",\"longitude\":2.0,\"latitude\":1.50"
        )
        #expect(base == reordered)
        #expect(
            base
                != (try hash(
                    "\"latitude\":2,\"longitude\":1.5,\"timestamp\":1741977135123,\"heading\":45,\"speed_mps\":3")))
        #expect(
            base
                != (try hash(
                    "\"latitude\":1.5,\"longitude\":2,\"timestamp\":1741977135124,\"heading\":45,\"speed_mps\":3")))
        #expect(
            base
                != (try hash(
                    "\"latitude\":1.5,\"longitude\":2,\"timestamp\":1741977135123,\"heading\":3,\"speed_mps\":45")))
        #expect(base != (try hash("\"latitude\":1.5,\"longitude\":2,\"timestamp\":1741977135123,\"heading\":45")))
        let zero = try hash("\"latitude\":1,\"longitude\":2,\"sequence\":1,\"accuracy_meters\":0")
        #expect(zero != (try hash("\"latitude\":1,\"longitude\":2,\"sequence\":1")))
    }

    @Test("the content hash is the same on every machine and in every version")
    func stableHash() throws {
        let fix = try #require(reader.single(RawSamples.rideshare)).fix
        // Computed by hand from the definition: words multiplied and folded, in the order of the fields.
        #expect(fix.contentHash == 4_111_069_205_082_478_008)
        #expect(fix.sessionHash == 15_577_084_539_645_112_247)
    }

    @Test("escaped identifiers are unescaped")
    func escapes() throws {
        let raw = try #require(reader.single(RawSamples.good("\"session_id\":\"a\\u00e9\\\"\\ud83d\\ude8c\"")))
        #expect(raw.sessionID.string == "aé\"🚌")
    }
}
