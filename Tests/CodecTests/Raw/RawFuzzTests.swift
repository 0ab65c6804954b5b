import TestSupport
import Testing

@testable import Codec

/// Damaged records do not crash the reader; under a sanitizer, these tests also find reads out of bounds.
@Suite("Damaged raw records")
struct RawFuzzTests {
    private let reader = RawRecordReader()

    @Test(
        "a truncated record is refused",
        arguments: [RawSamples.rideshare, RawSamples.mobile, RawSamples.envelope])
    func prefixes(record: String) {
        let bytes = Array(record.utf8)
        for count in 0..<bytes.count {
            let reason = reader.read(Array(bytes[..<count])).reason
            #expect(reason == (count == 0 ? .emptyValue : .malformedJSON), "cut to \(count) bytes")
        }
        #expect(reader.read(bytes).reason == nil)
    }

    @Test("a truncated batch is refused as a whole")
    func batchPrefixes() {
        let bytes = Array(RawSamples.batch([RawSamples.rideshare, RawSamples.mobile]).utf8)
        for count in 1..<bytes.count {
            #expect(reader.read(Array(bytes[..<count])).reason == .malformedJSON, "cut to \(count) bytes")
        }
    }

    @Test("records with a byte replaced by a structural character have only valid readable fixes")
    func structuralBytes() {
        let bytes = Array(RawSamples.rideshare.utf8)
        var readable = 0
        for index in bytes.indices {
            for replacement in Array("{}[]:,\"\\ \u{0}9-".utf8) {
                var damaged = bytes
                damaged[index] = replacement
                if case .fixes = reader.read(damaged) {
                    readable += 1
                    expectSane()
                }
            }
        }
        #expect(readable > 0 && readable < bytes.count * 12)
    }

    @Test("200,000 randomly damaged records have only valid readable fixes", arguments: [UInt64(17)])
    func randomDamage(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let samples = [
            RawSamples.rideshare, RawSamples.mobile, RawSamples.envelope, RawSamples.stored, RawSamples.good(),
            RawSamples.batch([RawSamples.good(), RawSamples.stored, RawSamples.good("\"speed_mps\":1")]),
        ].map { Array($0.utf8) }
        var counts = (readable: 0, unreadable: 0)
        for _ in 0..<200_000 {
            var bytes = samples[Int.random(in: 0..<samples.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...3, using: &generator) { damage(&bytes, &generator) }
            switch reader.read(bytes) {
            case .fixes:
                counts.readable += 1
                expectSane()
            case .unreadable: counts.unreadable += 1
            }
        }
        #expect(counts.readable > 1000 && counts.unreadable > 1000, "seed \(seed): \(counts)")
    }

    @Test("random bytes and random JSON tokens have only valid readable fixes", arguments: [UInt64(23)])
    func garbage(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let tokens = [
            "{", "}", "[", "]", ":", ",", "\"type\"", "\"location\"", "\"payload\"", "\"latitude\"", "1", "-", "1e5",
            "null",
            "true", "\"", "\\", " ", "\"locations\"", "\"location_batch\"", "NaN",
            "\"lat\"", "\"lng\"", "\"latLng\"", "\"accuracy\"", "\"timestamp\"", "763669935.123", "\"id\"",
            "\"messageId\"",
            "\"trip_status\"",
        ]
        for round in 0..<20_000 {
            let bytes: [UInt8]
            if round.isMultiple(of: 2) {
                bytes = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
                    .random(in: 0...255, using: &generator)
                }
            } else {
                bytes = (0..<Int.random(in: 1...60, using: &generator))
                    .flatMap { _ in Array((tokens.randomElement(using: &generator) ?? "").utf8) }
            }
            if case .fixes = reader.read(bytes) { expectSane() }
        }
    }

    private func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = .random(in: 0...255, using: &generator)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.remove(at: index)
        default: bytes.insert(bytes[index], at: index)
        }
    }

    /// Checks the ranges of readable fixes that spoof detection relies on.
    private func expectSane() {
        for raw in reader.fixes where raw.unreadable == nil {
            let fix = raw.fix
            let isSane =
                abs(fix.coordinate.latitude) <= 90 && abs(fix.coordinate.longitude) <= 180
                && (fix.accuracyMeters ?? 1) > 0 && (fix.speedMetersPerSecond ?? 0) >= 0
                && (0..<360).contains(fix.headingDegrees ?? 0) && (fix.altitudeMeters ?? 0).isFinite
                && (fix.deviceAt != nil || fix.sequence != nil) && (fix.sequence ?? 0) >= 0
                && raw.sessionID.count <= 128 && raw.tripID.count <= 128
            #expect(isSane, "\(fix)")
        }
    }
}
