/// Counts of the records of a recording that were read or left out, with the reasons.
package struct ReadingTally: Equatable, Sendable {
    private struct Kind: Equatable, Sendable {
        var name: String
        var count: Int
    }

    /// Maximum number of listed faults.
    package static let listedFaults = 10
    /// Maximum number of kinds of faults; the last kind counts all further kinds as `others`.
    private static let maximumKinds = 20

    /// Number of records read.
    package private(set) var read = 0
    /// Number of records left out.
    package private(set) var leftOut = 0
    /// Number of invalid cells in records that were read; such a cell counts as empty.
    package private(set) var ignoredCells = 0
    private var listed: [RowFault] = []
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

    /// Moves the count of records that turned out to be invalid from read to left out.
    package mutating func reclassifyAsSkipped(_ skipped: ReadingTally) {
        read -= skipped.leftOut
        leftOut += skipped.leftOut
        listed = Array((listed + skipped.listed).sorted { $0.line < $1.line }.prefix(Self.listedFaults))
        for kind in skipped.kinds { add(kind.name, kind.count) }
    }

    /// Returns up to ten faults, such as `own.csv, line 17, column 4: lat 91 is outside -90 to 90`, and a summary.
    ///
    /// The summary is `own.csv: 227 records read, 3 left out (2 lat outside -90 to 90, 1 time missing)`.
    package func lines(of path: String) -> [String] {
        var lines = listed.map { "\(path), \($0.text)" }
        var summary = "\(path): \(counted(read, "record")) read, \(leftOut) left out"
        if ignoredCells > 0 { summary += ", \(counted(ignoredCells, "value")) ignored" }
        let faults = leftOut + ignoredCells
        if faults > listed.count { lines.append("\(path): \(faults - listed.count) more are not listed") }
        if !kinds.isEmpty { summary += " (\(kinds.map { "\($0.count) \($0.name)" }.joined(separator: ", ")))" }
        lines.append(summary)
        return lines
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private mutating func list(_ fault: RowFault) {
        if listed.count < Self.listedFaults { listed.append(fault) }
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
