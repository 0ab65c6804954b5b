import Testing

@testable import Recordings

@Suite("Tally of a recording")
struct ReadingTallyTests {
    private func fault(_ line: Int) -> RowFault {
        RowFault(line: line, column: 4, name: "lat", value: "91", problem: .outside("-90 to 90"))
    }

    @Test("up to ten faults are listed, and all are counted", arguments: [9, 10, 11])
    func bounded(count: Int) {
        var tally = ReadingTally()
        for line in 2..<2 + count { tally.recordSkipped(fault(line)) }
        let lines = tally.lines(of: "own.csv")
        #expect(lines[0] == "own.csv, line 2, column 4: lat 91 is outside -90 to 90")
        #expect(lines.count == (count > 10 ? 12 : count + 1))
        if count > 10 { #expect(lines[10] == "own.csv: 1 more are not listed") }
        #expect(lines.last == "own.csv: 0 records read, \(count) left out (\(count) lat outside -90 to 90)")
    }

    @Test("records that turn out to be invalid are listed in the order of their lines")
    func reclassified() {
        var tally = ReadingTally()
        for _ in 0..<3 { tally.recordRead() }
        tally.recordSkipped(fault(7))
        var faults = ReadingTally()
        faults.recordSkipped(fault(3))
        tally.reclassifyAsSkipped(faults)
        #expect(tally.read == 2 && tally.leftOut == 2)
        #expect(tally.lines(of: "x").first == "x, line 3, column 4: lat 91 is outside -90 to 90")
    }

    @Test("the 20th and further kinds of faults are counted as others")
    func kinds() {
        var tally = ReadingTally()
        for kind in 0..<100 { tally.recordSkipped(RowFault(line: kind, name: "k\(kind)", problem: .missing)) }
        #expect(tally.lines(of: "x").last?.hasSuffix("81 others)") == true)
    }
}
