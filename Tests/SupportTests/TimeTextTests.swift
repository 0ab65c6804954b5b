import Foundation
import Support
import TestSupport
import Testing

@Suite("Time text")
struct TimeTextTests {
    @Test(
        "times are written in UTC, including leap days and times before 1970",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"), (1_741_977_135_123, "2025-03-14T18:32:15.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func times(milliseconds: Int64, text: String) {
        #expect(TimeText.text(milliseconds: milliseconds) == text)
        #expect(written { $0.append(timeMilliseconds: milliseconds) } == text)
    }

    @Test("times outside the years 0 to 9999 are clamped")
    func bounds() {
        #expect(TimeText.text(milliseconds: .min) == "0000-01-01T00:00:00.000Z")
        #expect(TimeText.text(milliseconds: -62_167_219_200_001) == "0000-01-01T00:00:00.000Z")
        #expect(TimeText.text(milliseconds: 253_402_300_799_998) == "9999-12-31T23:59:59.998Z")
        #expect(TimeText.text(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
    }

    @Test("random times from 1906 to 2128 are written as by Foundation")
    func timesAgree() {
        var generator = SeededGenerator(seed: 42)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<2_000 {
            // Whole seconds: Foundation stores binary fractions and may truncate a millisecond.
            let seconds = Int64.random(in: -2_000_000_000...5_000_000_000, using: &generator)
            let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
            #expect(TimeText.text(milliseconds: seconds * 1000) == expected, "seed 42")
        }
    }
}
