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
}
