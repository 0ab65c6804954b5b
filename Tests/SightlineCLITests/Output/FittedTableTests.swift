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
        let lines = table().text(width: nil)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("fixed_at") && lines[0].contains("trip_id") && lines[0].hasSuffix("verdict"))
    }

    @Test("in 80 columns those that fit are shown and the others are named")
    func eighty() {
        let lines = table().text(width: 80)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].split(separator: " ") == ["fixed_at", "latitude", "longitude", "heading", "verdict"])
        #expect(lines.last?.hasPrefix("No room for reasons: ") == true)
        #expect(!lines.joined().contains("trip_id"), "a column without a value is not missed")
    }

    @Test("in 42 columns each row is a block, and long values are wrapped")
    func fortyTwo() {
        let lines = table().text(width: 42)
        #expect(lines.allSatisfy { $0.count <= 42 }, "\(lines)")
        #expect(lines.first == "fixed_at   2025-03-14 18:32:15.123Z")
        #expect(lines.contains("longitude  -122.418"))
        #expect(lines.contains("reasons    TELEPORTATION IMPOSSIBLE_SPEED"))
        #expect(lines.contains(""))
        #expect(table().text(width: 30).contains("           IMPOSSIBLE_SPEED"))
    }

    @Test("a table that just fits stays whole, and one column less does not")
    func boundary() {
        let widest = table().text(width: nil).map(\.count).max() ?? 0
        // Numbers and dashes fill the last column.
        #expect(table().text(width: widest) == table().text(width: nil))
        #expect(table().text(width: widest - 1) != table().text(width: nil))
    }

    /// A table of a screen, whose lines of all columns are 22 wide.
    private func screen(_ cell: StyledLine = "drv_17") -> FittedTable {
        let columns = [("suspect", 3, false), ("code", 2, false), ("count", 1, true)]
        var table = FittedTable(
            columns.map { FittedTable.Column(name: $0.0, isNumeric: $0.2, importance: $0.1) }, on: .screen)
        table.rows = [[cell, "MOCK", "5"], ["drv_9", "JUMP", "123"]]
        return table
    }

    @Test("on a screen it is indented, and has faint names without a line below, and the colours of its cells")
    func onScreen() {
        let lines = screen(StyledLine("drv_17", .bad)).lines(width: 80)
        #expect(
            lines.map { $0.text(hasColor: false) } == [
                "  suspect  code  count", "  drv_17   MOCK      5", "  drv_9    JUMP    123",
            ])
        #expect(lines[0].parts.filter { $0.ink == .faint }.map(\.text) == ["suspect", "code", "count"])
        #expect(lines[1].parts.contains(StyledLine.Part(text: "drv_17", ink: .bad)))
    }

    @Test(
        "on a screen the least important columns are left out in silence, and the last one is clipped",
        arguments: [
            (22, ["suspect", "code", "count"]), (21, ["suspect", "code"]), (15, ["suspect", "code"]),
            (14, ["suspect"]), (9, ["suspect"]), (8, ["suspe…"]), (1, ["…"]),
        ])
    func narrowScreen(width: Int, names: [String]) {
        let lines = screen().text(width: width)
        #expect(lines.count == 3 && lines.allSatisfy { $0.count <= width }, "\(lines)")
        #expect(lines[0].split(separator: " ").map(String.init) == names)
    }

    @Test("a less important column does not take the room of one that does not fit")
    func importance() {
        let columns = [("a", 2), ("b", 1), ("c", 2), ("d", 0)]
        var table = FittedTable(columns.map { FittedTable.Column(name: $0.0, importance: $0.1) }, on: .screen)
        table.rows = [["1", "wide cell", "3", "4"]]
        let names = { (width: Int) in table.text(width: width)[0].split(separator: " ").map(String.init) }
        #expect(names(20) == ["a", "b", "c", "d"] && names(19) == ["a", "b", "c"])
        #expect(names(17) == ["a", "b", "c"] && names(16) == ["a", "c"])
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
