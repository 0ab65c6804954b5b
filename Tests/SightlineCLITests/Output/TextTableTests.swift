import Testing

@testable import SightlineCLI

@Suite("Tables")
struct TextTableTests {
    private func table() -> TextTable {
        var table = TextTable(
            [
                ("fixed_at", false), ("latitude", true), ("longitude", true), ("trip_id", false), ("heading", true),
                ("reasons", false), ("verdict", false),
            ].map { TextTable.Column(name: $0.0, isNumeric: $0.1) })
        table.add([
            "2025-03-14 18:32:15.123Z", "37.775", "-122.418", "", "44.5", "TELEPORTATION IMPOSSIBLE_SPEED", "rejected",
        ])
        table.add(["2025-03-14 18:32:16.123Z", "37.7751", "-122.4181", "", "", "", "accepted"])
        return table
    }

    @Test("without a width, every column is printed")
    func all() {
        let lines = table().lines(width: nil)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("fixed_at") && lines[0].contains("trip_id") && lines[0].hasSuffix("verdict"))
    }

    @Test("at 80 columns, columns that do not fit are listed below the table")
    func eighty() {
        let lines = table().lines(width: 80)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].split(separator: " ") == ["fixed_at", "latitude", "longitude", "heading", "verdict"])
        #expect(lines.last?.hasPrefix("No room for reasons: ") == true)
        #expect(!lines.joined().contains("trip_id"), "a column without values is omitted")
    }

    @Test("at 42 and 30 columns, each row is a block, and values are wrapped")
    func fortyTwo() {
        let lines = table().lines(width: 42)
        #expect(lines.allSatisfy { $0.count <= 42 }, "\(lines)")
        #expect(lines.first == "fixed_at   2025-03-14 18:32:15.123Z")
        #expect(lines.contains("longitude  -122.418"))
        #expect(lines.contains("reasons    TELEPORTATION IMPOSSIBLE_SPEED"))
        #expect(lines.contains(""))
        #expect(table().lines(width: 30).contains("           IMPOSSIBLE_SPEED"))
    }

    @Test("a table is complete at the width of its longest line, and not below")
    func boundary() {
        let widest = table().lines(width: nil).map(\.count).max() ?? 0
        #expect(table().lines(width: widest) == table().lines(width: nil))
        #expect(table().lines(width: widest - 1) != table().lines(width: nil))
    }

    @Test("a table of figures has a title, no line of dashes, and numbers on the right")
    func figures() {
        var table = TextTable(title: "Errors", columns: ["recording", "RMSE m"])
        table.add(["a", "12.5"])
        #expect(table.text == "Errors\nrecording  RMSE m\na            12.5\n")
    }

    @Test("lines do not end in blanks")
    func trimming() {
        var table = TextTable(title: "Kinds", columns: ["kind"])
        table.add(["a"])
        table.add([""])
        #expect(table.text == "Kinds\nkind\na\n\n")
    }

    @Test("a table without columns prints only its title")
    func titleOnly() {
        let table = TextTable(title: "no trips", columns: [])
        #expect(table.text == "no trips\n")
    }

    @Test("text is wrapped at spaces, or within long words")
    func wrapping() {
        #expect(TextTable.wrapped("one two three", width: 7) == ["one two", "three"])
        #expect(TextTable.wrapped("one two three", width: 6) == ["one", "two", "three"])
        #expect(TextTable.wrapped("abcdefgh", width: 3) == ["abc", "def", "gh"])
        #expect(TextTable.wrapped("abc", width: 3) == ["abc"])
        #expect(TextTable.wrapped("one two", width: nil) == ["one two"])
    }

    @Test("a count of 1 is followed by the singular, other counts by the plural")
    func counting() {
        #expect([0, 1, 2].map { pluralize($0, "fix", "fixes") } == ["0 fixes", "1 fix", "2 fixes"])
        #expect([0, 1, 2].map { pluralize($0, "driver") } == ["0 drivers", "1 driver", "2 drivers"])
    }
}
