import Testing

@testable import SightlineCLI

@Suite("Tables for people")
struct FittedTableTests {
    private func table() -> FittedTable {
        var table = FittedTable(
            [
                ("fixed_at", false), ("latitude", true), ("longitude", true), ("trip_id", false), ("heading", true),
                ("reasons", false), ("verdict", false),
            ].map { FittedTable.Column(name: $0.0, isNumeric: $0.1) })
        table.rows = [
            [
                "2025-03-14 18:32:15.123Z", "37.775", "-122.418", "", "44.5", "TELEPORTATION IMPOSSIBLE_SPEED",
                "rejected",
            ],
            ["2025-03-14 18:32:16.123Z", "37.7751", "-122.4181", "", "", "", "accepted"],
        ]
        return table
    }

    @Test("without a width every column is shown")
    func all() {
        let lines = table().lines(width: nil)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("fixed_at") && lines[0].contains("trip_id") && lines[0].hasSuffix("verdict"))
    }

    @Test("in 80 columns those that fit are shown and the others are named")
    func eighty() {
        let lines = table().lines(width: 80)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].split(separator: " ") == ["fixed_at", "latitude", "longitude", "heading", "verdict"])
        #expect(lines.last?.hasPrefix("No room for reasons: ") == true)
        #expect(!lines.joined().contains("trip_id"), "a column without a value is not missed")
    }

    @Test("in 42 columns each row is a block, and long values are wrapped")
    func fortyTwo() {
        let lines = table().lines(width: 42)
        #expect(lines.allSatisfy { $0.count <= 42 }, "\(lines)")
        #expect(lines.first == "fixed_at   2025-03-14 18:32:15.123Z")
        #expect(lines.contains("longitude  -122.418"))
        #expect(lines.contains("reasons    TELEPORTATION IMPOSSIBLE_SPEED"))
        #expect(lines.contains(""))
        #expect(table().lines(width: 30).contains("           IMPOSSIBLE_SPEED"))
    }

    @Test("a table that just fits stays whole, and one column less does not")
    func boundary() {
        let widest = table().lines(width: nil).map(\.count).max() ?? 0
        // Numbers and dashes fill the last column.
        #expect(table().lines(width: widest) == table().lines(width: nil))
        #expect(table().lines(width: widest - 1) != table().lines(width: nil))
    }

    @Test("text is wrapped at spaces, and cut where there are none")
    func wrapping() {
        #expect(FittedTable.wrapped("one two three", width: 7) == ["one two", "three"])
        #expect(FittedTable.wrapped("one two three", width: 6) == ["one", "two", "three"])
        #expect(FittedTable.wrapped("abcdefgh", width: 3) == ["abc", "def", "gh"])
        #expect(FittedTable.wrapped("abc", width: 3) == ["abc"])
        #expect(FittedTable.wrapped("one two", width: nil) == ["one two"])
    }

    @Test("one is singular, and all else plural")
    func counting() {
        #expect([0, 1, 2].map { Noun.fix.count($0) } == ["0 fixes", "1 fix", "2 fixes"])
        #expect([0, 1, 2].map { Noun.driver.count($0) } == ["0 drivers", "1 driver", "2 drivers"])
    }
}
