/// Counts the records of a recording that were read or left out, with the reasons.
package struct ReadingTally: Equatable, Sendable {
    private struct Kind: Equatable, Sendable {
        var name: String
        var count: Int
    }

    /// Maximum number of listed faults.
    package static let listedFaults = 10
    /// Maximum number of kinds of faults; further ones are counted together.
    private static let maximumKinds = 20

    /// Number of records read.
    package private(set) var read = 0
    /// Number of records left out.
    package private(set) var leftOut = 0
    /// Number of invalid cells in records that were read; they count as empty.
    package private(set) var ignoredCells = 0
    private var first: [RowFault] = []
    private var kinds: [Kind] = []

    package init() {}

    /// Counts a record that was read, with its invalid cells.
    package mutating func recordRead(ignoring ignored: [RowFault] = []) {
        read += 1
        ignoredCells += ignored.count
        for fault in ignored { list(fault) }
    }

    /// Counts a record that was left out.
    package mutating func recordSkipped(_ fault: RowFault) {
        leftOut += 1
        list(fault)
    }

    /// Counts records as left out that were counted as read before they turned out to be invalid.
    package mutating func reclassifyAsSkipped(_ refused: ReadingTally) {
        read -= refused.leftOut
        leftOut += refused.leftOut
        first = Array((first + refused.first).sorted { $0.line < $1.line }.prefix(Self.listedFaults))
        for kind in refused.kinds { add(kind.name, kind.count) }
    }

    /// Returns up to ten faults, such as `own.csv, line 17, column 4: lat 91 is outside -90 to 90`, and a summary.
    ///
    /// The summary is `own.csv: 227 records read, 3 left out (2 lat outside -90 to 90, 1 time missing)`.
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
