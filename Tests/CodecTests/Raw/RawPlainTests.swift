import Foundation
import TestSupport
import Testing

@testable import Codec

/// Plain records, of printable ASCII and short numbers, are read without simdjson with results equal to simdjson's.
@Suite("Plain raw records")
struct RawPlainTests {
    private let reader = RawRecordReader()
    private let reference = RawRecordReader()

    @Test(
        "usual records are read as plain records",
        arguments: [
            RawSamples.rideshare, RawSamples.mobile, RawSamples.good(), RawSamples.good("\"speed_mps\":null"),
            RawSamples.batch([RawSamples.rideshare, RawSamples.mobile]),
            RawSamples.envelope, RawSamples.stored, RawSamples.good("\"timestamp\":763669935.123456"),
            RawSamples.good("\"timestamp\":763669935"), RawSamples.good("\"accuracy\":5,\"source\":\"GPS\""),
            RawSamples.batch([RawSamples.envelope, RawSamples.stored]),
            RawSamples.good("\"x\":{\"y\":[1,\"z\",null,true,{}],\"z\":[]}"),
            "{ \"type\" : \"location\",\n\t\"latitude\": 1, \"longitude\": 2,\r\n \"x\": [ ] , \"sequence\": 7 }\n",
            // Faults are also detected in plain records.
            RawSamples.good("\"latitude\":91"), RawSamples.good("\"timestamp\":\"yesterday\""), "{}",
        ])
    func usual(record: String) {
        _ = reader.read(record)
        #expect(reader.isPlain)
        expectSame(Array(record.utf8), "")
    }

    @Test(
        "records with other texts or numbers are read by simdjson",
        arguments: [
            "\"session_id\":\"ü\"", "\"session_id\":\"\\u0041\"", "\"x\":\"\u{7F}\"", "\"speed_mps\":1e1",
            "\"speed_mps\":123456789", "\"speed_mps\":\"1\"", "\"sequence\":1.0", "\"is_mock\":1", "\"x\":01",
            "\"x\":nul",
            "\"coordinate\":[]", "\"timestamp\":1741977135123.5", "\"timestamp\":7.6e8", "\"timestamp\":0.123456789",
            "\"id\":123456789", "\"speed_mps\":0.12345678901234567",
        ])
    func unusual(member: String) {
        _ = reader.read(RawSamples.good(member))
        #expect(!reader.isPlain)
    }

    /// `SIGHTLINE_TEST_DAMAGED_RECORDS` sets the number of records.
    @Test("simdjson gives the same result for plain records, also if they are damaged", arguments: [UInt64(41)])
    func damaged(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let requested = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_DAMAGED_RECORDS"].flatMap { Int($0) }
        var plain = 0
        let rounds = requested ?? 20_000
        for _ in 0..<rounds {
            var record = RawRecordSource.record(&generator)
            for _ in 0..<Int.random(in: 0...3, using: &generator) { RawRecordSource.damage(&record, &generator) }
            if expectSame(record, "seed \(seed)") { plain += 1 }
        }
        #expect(plain > rounds / 10 && plain < rounds, "seed \(seed): \(plain) of \(rounds)")
    }

    @Test("numbers are read as the nearest double, without simdjson up to 19 digits", arguments: [UInt64(43)])
    func numbers(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let text = RawRecordSource.number(&generator, decimals: 0...16)
            let altitude = reader.single(RawSamples.good("\"altitude_meters\":\(text)"))?.fix.altitudeMeters
            let expected = Double(text)
            #expect(altitude == expected, "seed \(seed): \(text)")
            let digits = text.filter(\.isNumber).count
            #expect(reader.isPlain || digits > 19, "seed \(seed): \(text)")
        }
    }

    @Test("numbers near the middle of two doubles are read as the nearest double")
    func halfway() {
        // The digits 9007199254740993 are 2^53 + 1, halfway between two doubles.
        for (text, expected) in [
            ("900719.9254740993", 900719.9254740993), ("9.007199254740993", 9.007199254740993),
            ("4503599.627370497", 4503599.627370497), ("-2097152.0000000002328", -2097152.0000000002328),
            ("1.00000000000000011", 1.00000000000000011), ("1.0000000000000001", 1.0000000000000001),
            ("1048576.000000000116", 1048576.000000000116), ("1048576.000000000117", 1048576.000000000117),
        ] {
            #expect(reader.single(RawSamples.good("\"altitude_meters\":\(text)"))?.fix.altitudeMeters == expected)
        }
    }

    /// Compares both readers; returns whether the record is plain.
    @discardableResult
    private func expectSame(_ record: [UInt8], _ comment: String) -> Bool {
        let result = "\(reader.read(record))"
        guard reader.isPlain else { return false }
        // Leading white space selects simdjson.
        let expected = "\(reference.read([UInt8(ascii: " ")] + record))"
        let isSame =
            !reference.isPlain && result == expected && reader.fixes.count == reference.fixes.count
            && zip(reader.fixes, reference.fixes).allSatisfy { Content($0) == Content($1) }
        #expect(isSame, "\(comment): \(String(decoding: record, as: UTF8.self))")
        return true
    }
}

/// All fields of a fix, with the bits of numbers.
private struct Content: Equatable {
    let numbers: [UInt64?]
    let texts: [String]

    init(_ raw: RawFix) {
        let fix = raw.fix
        let measures = [
            fix.coordinate.latitude, fix.coordinate.longitude, fix.accuracyMeters, fix.headingDegrees,
            fix.speedMetersPerSecond, fix.altitudeMeters,
        ]
        numbers = measures.map { $0?.bitPattern } + [fix.sessionHash, fix.contentHash, fix.identityHash]
        texts = [
            raw.sessionID.string, raw.tripID.string, "\(fix.deviceAt as Any) \(fix.sequence as Any)",
            "\(raw.batteryPercent as Any) \(raw.occupancyPercent as Any) \(raw.unreadable as Any) \(raw.unreadableField)",
            "\(raw.report)",
            "\(fix.hasZeroAccuracy) \(fix.source) \(fix.integrity) \(fix.isMock) \(fix.isOnTrip) \(fix.isBatched)",
        ]
    }
}
