import Foundation
import Testing

@testable import Evaluation
@testable import SightlineCLI

@Suite("Reports in pages")
struct EvaluationReportTests {
    private struct Sample: EvaluationReport {
        var rmseMeters = 1.5
        var shareWithinAccuracy = Double.nan

        var tables: [TextTable] {
            var table = TextTable(title: "Errors <1>", columns: ["recording", "RMSE m"])
            table.add(["  a", "1.5"])
            return [table, table]
        }

        var plots: [String: LinePlot] {
            let axis = LinePlot.Axis("x")
            return [
                "sample-b": LinePlot(title: "B", x: axis, y: axis, series: []),
                "sample-a": LinePlot(title: "A [m]", x: axis, y: axis, series: []),
            ]
        }
    }

    @Test("tables come under their titles, plots behind them in the order of their names")
    func markdown() {
        let table = "\n**Errors \\<1>**\n\n| recording | RMSE m |\n|---|---:|\n| \u{2003}\u{2003}a | 1.5 |\n"
        #expect(
            Sample().markdown(plotFolder: "accuracy/")
                == table + table + "\n![A \\[m\\]](accuracy/sample-a.svg)\n\n![B](accuracy/sample-b.svg)\n\n")
        #expect(Sample().markdown(plotFolder: nil) == table + table + "\n")
    }

    @Test("a page shows the tables that are chosen for pages")
    func pageTables() {
        struct Chosen: EvaluationReport {
            var tables: [TextTable] { [TextTable(title: "a", columns: []), TextTable(title: "b", columns: [])] }
            var pageTables: [TextTable] { Array(tables.suffix(1)) }
            var plots: [String: LinePlot] { [:] }
        }
        #expect(Chosen().markdown(plotFolder: nil) == "\n**b**\n\n")
    }

    @Test("a figure that could not be computed costs no other in the JSON")
    func json() throws {
        let json = String(decoding: try Sample().json(), as: UTF8.self)
        #expect(json == "{\n  \"rmse_meters\" : 1.5,\n  \"share_within_accuracy\" : \"NaN\"\n}\n")
    }

    @Test("a part is replaced, and nothing beside it", arguments: ["", "old\n", "old <!-- b:begin -->\n"])
    func replacing(old: String) throws {
        let page = "# Page\n<!-- a:begin -->\n\(old)<!-- a:end -->\n<!-- b:begin -->\nkept\n<!-- b:end -->\n"
        let part = try #require(GeneratedPart("docs/page.md#a"))
        let once = try part.replaced(in: page, with: "new\n")
        #expect(once == "# Page\n<!-- a:begin -->\nnew\n<!-- a:end -->\n<!-- b:begin -->\nkept\n<!-- b:end -->\n")
        #expect(try part.replaced(in: once, with: "new\n") == once)
    }

    @Test(
        "a page without the comments, or with the end before the beginning, is refused",
        arguments: [
            "", "<!-- a:begin -->\n", "<!-- a:end -->\n<!-- a:begin -->\n", "<!-- ab:begin -->\n<!-- ab:end -->",
        ])
    func refusing(page: String) throws {
        let part = try #require(GeneratedPart("page.md#a"))
        #expect(throws: GeneratedPart.MissingComment.self) { try part.replaced(in: page, with: "new") }
    }

    @Test("a part is a page and a name", arguments: ["page.md", "#a", "page.md#", "#", ""])
    func parsing(text: String) {
        #expect(GeneratedPart(text) == nil)
        #expect(GeneratedPart("docs/a#b.md#c")?.file == "docs/a#b.md")
    }

    @Test(
        "plots are linked from the page's folder",
        arguments: [
            ("docs/accuracy.md", "docs/accuracy", "accuracy/"), ("./docs/accuracy.md", "docs/accuracy", "accuracy/"),
            ("docs/accuracy.md", "docs", ""), ("page.md", "plots", "plots/"), ("page.md", ".", ""),
            ("/a/docs/page.md", "/a/docs/x/y", "x/y/"), ("docs/page.md", "/var/plots", "/var/plots/"),
        ])
    func links(page: String, folder: String, expected: String) throws {
        #expect(try #require(GeneratedPart("\(page)#a")).link(to: folder) == expected)
    }
}
