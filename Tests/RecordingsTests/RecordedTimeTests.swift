import Testing

@testable import Recordings
@testable import Support

@Suite("Times of recordings")
struct RecordedTimeTests {
    private static let second: Int64 = 1_741_977_135_000

    @Test(
        "ISO 8601, seconds and milliseconds are distinguished, with and without fractions",
        arguments: [
            ("2025-03-14T18:32:15Z", second), ("2025-03-14T18:32:15.25Z", second + 250),
            ("2025-03-14T19:32:15+01:00", second), ("2025-03-14 18:32:15.5+00", second + 500),
            ("1741977135", second), ("1741977135.25", second + 250), ("1741977135000", second),
            ("1741977135000.4", second), ("1741977135123", second + 123), ("1e9", 1_000_000_000_000),
            ("99999999999", 99_999_999_999_000), ("100000000000", 100_000_000_000), ("0", 0),
        ] as [(String, Int64)])
    func read(text: String, milliseconds: Int64) throws {
        for unit in [RecordedTime.Unit.seconds, .milliseconds] {
            #expect(try RecordedTime.read(text, unit: unit) == Timestamp(milliseconds: milliseconds))
        }
    }

    @Test("a number below 1,000,000,000 has the unit of its column")
    func small() throws {
        #expect(try RecordedTime.read("999999999", unit: .milliseconds).milliseconds == 999_999_999)
        #expect(try RecordedTime.read("999999999", unit: .seconds).milliseconds == 999_999_999_000)
    }

    @Test(
        "reading an invalid time throws an error",
        arguments: ["", "soon", "-1", "nan", "inf", "100000000000000", "2025-03-14", "14.03.2025 18:32", "1741977135s"])
    func invalid(text: String) {
        let error = #expect(throws: RowFault.Problem.self) { try RecordedTime.read(text, unit: .seconds) }
        #expect(error == .noTime)
    }

    @Test("a time without a zone is read only if the format is in UTC")
    func zones() throws {
        let text = "2025-03-14T18:32:15"
        let error = #expect(throws: RowFault.Problem.self) { try RecordedTime.read(text, unit: .seconds) }
        #expect(error == .noZone)
        #expect(
            try RecordedTime.read(text, unit: .seconds, assumesUTC: true) == Timestamp(milliseconds: Self.second))
    }
}
