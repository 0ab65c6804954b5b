import Testing

@testable import Evaluation

@Suite("Tables of figures")
struct TextTableTests {
    @Test("columns are as wide as their widest cell, and numbers stand to the right")
    func text() {
        var table = TextTable(title: "Errors", columns: ["recording", "RMSE m"])
        table.add(["a", "12.5"])
        #expect(table.text == "Errors\nrecording  RMSE m\na            12.5\n")
        #expect(table.markdown == "| recording | RMSE m |\n|---|---:|\n| a | 12.5 |\n")
    }

    @Test("lines do not end in blanks")
    func trimming() {
        var table = TextTable(title: "Kinds", columns: ["kind"])
        table.add(["a"])
        table.add([""])
        #expect(table.text == "Kinds\nkind\na\n\n")
    }

    @Test("a cell of Markdown stays one cell and shows its text as it is")
    func escaping() {
        var table = TextTable(title: "", columns: ["a|b", "p50 < 2"])
        table.add(["*x*\ny", "1\\2"])
        #expect(table.markdown == "| a\\|b | p50 \\< 2 |\n|---|---:|\n| \\*x\\* y | 1\\\\2 |\n")
    }

    @Test("without columns there is the title alone")
    func titleAlone() {
        let table = TextTable(title: "no trips", columns: [])
        #expect(table.text == "no trips\n")
        #expect(table.markdown.isEmpty)
    }
}
