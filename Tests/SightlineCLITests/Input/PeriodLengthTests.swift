import ArgumentParser
import Testing

@testable import SightlineCLI

@Suite("Lengths of periods")
struct PeriodLengthTests {
    @Test(
        "one or several numbers with units are parsed",
        arguments: [
            ("90s", 90), ("30min", 1800), ("5m", 300), ("2h", 7200), ("7d", 604_800), ("1w", 604_800),
            ("1h30min", 5400), ("1 hour 30 minutes", 5400), ("0.5h", 1800), ("1s", 1), ("24 HOURS", 86_400),
        ])
    func lengths(text: String, seconds: Int64) throws {
        #expect(try PeriodLength(text).seconds == seconds)
    }

    @Test("a number without a unit throws an error with a suggestion")
    func unit() {
        let error = #expect(throws: ValidationError.self) { try PeriodLength("5") }
        #expect(error?.message == "5 has no unit; use 5s, 5min, 5h or 5d.")
    }

    @Test(
        "invalid lengths are errors", arguments: ["", "h", "-1h", "0s", "0.4s", "5 fortnights", "1e9h", "99999999d"])
    func invalid(text: String) {
        #expect(throws: ValidationError.self) { try PeriodLength(text) }
    }

    @Test("a command fails for a number without a unit, and prints the error")
    func command() {
        #expect(throws: (any Error).self) { try DeadLettersCommand.parse(["--last", "5"]) }
        do {
            _ = try HistoryWarnings.parse(["--last", "5"])
            Issue.record("5 was accepted")
        } catch {
            #expect(HistoryWarnings.message(for: error).contains("5 has no unit; use 5s, 5min, 5h or 5d."))
        }
    }
}
