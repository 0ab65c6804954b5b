/// How much of a recording was read, and what was left out of it and why.
package struct ReadingTally: Equatable, Sendable {
    private struct Kind: Equatable, Sendable {
        var name: String
        var count: Int
    }

    /// How many of the rows left out are listed.
    package static let listedFaults = 10
    /// How many kinds of faults are told apart; all others are one.
    private static let maximumKinds = 20

    /// Records that were read.
    package private(set) var read = 0
    /// Records that were not.
    package private(set) var leftOut = 0
    /// Cells of records that were read which are not what their column says, and count as empty.
    package private(set) var ignoredCells = 0
    private var first: [RowFault] = []
    private var kinds: [Kind] = []

    package init() {}

    /// Counts a record that was read, without those of its cells that `ignored` names.
    package mutating func noteRead(ignoring ignored: [RowFault] = []) {
        read += 1
        ignoredCells += ignored.count
        for fault in ignored { list(fault) }
    }

    /// Counts a record that was left out.
    package mutating func note(_ fault: RowFault) {
        leftOut += 1
        list(fault)
    }

    /// Takes records back that were read and then turned out to be none.
    package mutating func takeBack(_ refused: ReadingTally) {
        read -= refused.leftOut
        leftOut += refused.leftOut
        first = Array((first + refused.first).sorted { $0.line < $1.line }.prefix(Self.listedFaults))
        for kind in refused.kinds { add(kind.name, kind.count) }
    }

    /// The faults that are listed, a line each, then what there is in all.
    ///
    /// `own.csv, line 17, column 4: lat 91 is outside -90 to 90`, up to ten of them; the last line is
    /// `own.csv: 227 records read, 3 left out (2 lat outside -90 to 90, 1 time missing)`.
    package func lines(of path: String) -> [String] {
        var lines = first.map { "\(path), \($0.text)" }
        var sum = "\(path): \(counted(read, "record")) read, \(leftOut) left out"
        if ignoredCells > 0 { sum += ", \(counted(ignoredCells, "cell")) ignored" }
        let faults = leftOut + ignoredCells
        if faults > first.count { lines.append("\(path): \(faults - first.count) more are not listed") }
        if !kinds.isEmpty { sum += " (\(kinds.map { "\($0.count) \($0.name)" }.joined(separator: ", ")))" }
        lines.append(sum)
        return lines
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private mutating func list(_ fault: RowFault) {
        if first.count < Self.listedFaults { first.append(fault) }
        add(fault.kind, 1)
    }

    private mutating func add(_ name: String, _ count: Int) {
        if let index = kinds.firstIndex(where: { $0.name == name }) {
            kinds[index].count += count
        } else if kinds.count < Self.maximumKinds {
            kinds.append(Kind(name: name, count: count))
        } else {
            kinds[kinds.count - 1].name = "others"
            kinds[kinds.count - 1].count += count
        }
    }
}
