import Testing

@testable import Evaluation
@testable import SightlineCLI

@Suite("Reports as JSON and as tables")
struct EvaluationReportTests {
    private struct Sample: EvaluationReport {
        struct Errors: Encodable {
            var rmseMeters: Double?
            var shares = [0.25, 1]
        }

        var name = "a"
        var rmseMeters = 1234.56
        var shareWithinAccuracy = Double.nan
        var raw = Errors(rmseMeters: 0.123456)

        var tables: [TextTable] {
            [
                TextTable(
                    "Errors", of: [self],
                    "name rmse_meters raw.rmse_meters raw.shares raw.unknown unknown.member")
            ]
        }
    }

    @Test("a figure that could not be computed does not affect other figures in the JSON")
    func json() throws {
        let json = String(decoding: try Sample().json(), as: UTF8.self)
        #expect(json.hasSuffix("\"rmse_meters\" : 1234.56,\n  \"share_within_accuracy\" : \"NaN\"\n}\n"))
    }

    @Test("a table shows members of the JSON with four significant digits, and a dash for absent members")
    func table() throws {
        let table = try #require(Sample().tables.first)
        #expect(table.columns.map(\.name).prefix(3) == ["name", "rmse meters", "raw rmse meters"])
        #expect(table.rows == [["a", "1235", "0.1235", "0.25 1", "–", "–"]])
    }
}
