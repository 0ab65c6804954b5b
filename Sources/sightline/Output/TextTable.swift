/// A table of text cells, printed in aligned columns.
///
/// A table without columns consists of its title.
package struct TextTable: Sendable, Equatable {
    package struct Column: Sendable, Equatable {
        package var name: String
        /// Whether cells are aligned to the right.
        package var isNumeric = false
    }

    /// A line above the table; without a title, the column names are underlined instead.
    package var title = ""
    package let columns: [Column]
    package private(set) var rows: [[String]] = []
    /// Texts below the rows, one per row; empty for none.
    var details: [String] = []
    /// Advice on how to see the columns that do not fit.
    var advice = "widen the terminal"

    private static let gap = 2
    /// Minimum number of leading columns; if they do not fit, each row is printed as a block.
    private static let essential = 3

    init(_ columns: [Column]) { self.columns = columns }

    /// Creates a table of figures, with the first column aligned to the left and the others to the right.
    package init(title: String, columns: [String]) {
        self.title = title
        self.columns = columns.enumerated().map { Column(name: $1, isNumeric: $0 > 0) }
    }

    /// Adds a row; it has a cell for every column.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "A row needs one cell per column.")
        rows.append(cells)
    }

    /// The whole table, in lines of any length.
    package var text: String { lines(width: nil).map { "\($0)\n" }.joined() }

    /// Returns the table in lines of at most `width` characters; `nil` for any length.
    ///
    /// If the table is too wide, empty columns are omitted, and columns that do not fit are listed below it. If the
    /// first three columns (or those up to `longitude`) do not fit, each row becomes a block with a line per column.
    func lines(width: Int?) -> [String] {
        let head = title.isEmpty ? [] : [title]
        guard !columns.isEmpty else { return head }
        let all = Array(columns.indices)
        let widths = all.map { index in max(columns[index].name.count, rows.lazy.map { $0[index].count }.max() ?? 0) }
        guard let width, total(all, widths) > width else { return head + table(all, widths, nil) }
        let filled = all.filter { index in rows.contains { !$0[index].isEmpty } }
        let needed = max(Self.essential, (columns.firstIndex { $0.name == "longitude" } ?? -1) + 1)
        guard total(Array(filled.prefix(needed)), widths) <= width else { return head + blocks(filled, width) }
        var shown: [Int] = []
        for index in filled where total(shown + [index], widths) <= width { shown.append(index) }
        return head + table(shown, widths, width) + hint(filled.filter { !shown.contains($0) }, width)
    }

    private func total(_ shown: [Int], _ widths: [Int]) -> Int {
        shown.reduce(0) { $0 + widths[$1] } + Self.gap * max(0, shown.count - 1)
    }

    private func hint(_ hidden: [Int], _ width: Int) -> [String] {
        guard !hidden.isEmpty else { return [] }
        let names = hidden.map { columns[$0].name }.joined(separator: ", ")
        return Self.wrapped("No room for \(names): \(advice).", width: width)
    }

    private func table(_ shown: [Int], _ widths: [Int], _ width: Int?) -> [String] {
        var lines = [line(columns.map(\.name), shown, widths)]
        if title.isEmpty { lines.append(line(widths.map { String(repeating: "-", count: $0) }, shown, widths)) }
        for (number, row) in rows.enumerated() {
            lines.append(line(row, shown, widths))
            if details.indices.contains(number) { lines += detail(number, width) }
        }
        return lines
    }

    private func line(_ cells: [String], _ shown: [Int], _ widths: [Int]) -> String {
        var line = shown.map { index in
            columns[index].isNumeric
                ? .blanks(widths[index] - cells[index].count) + cells[index] : cells[index].padded(to: widths[index])
        }.joined(separator: .blanks(Self.gap))
        while line.last == " " { line.removeLast() }
        return line
    }

    private func blocks(_ shown: [Int], _ width: Int) -> [String] {
        let nameWidth = shown.map { columns[$0].name.count }.max() ?? 0
        var lines: [String] = []
        for (number, row) in rows.enumerated() {
            if number > 0 { lines.append("") }
            for index in shown where !row[index].isEmpty {
                let parts = Self.wrapped(row[index], width: max(8, width - nameWidth - Self.gap))
                lines.append(columns[index].name.padded(to: nameWidth + Self.gap) + (parts.first ?? ""))
                lines += parts.dropFirst().map { .blanks(nameWidth + Self.gap) + $0 }
            }
            if details.indices.contains(number) { lines += detail(number, width) }
        }
        return lines
    }

    private func detail(_ number: Int, _ width: Int?) -> [String] {
        Self.wrapped(details[number], width: width.map { $0 - Self.gap }).map { .blanks(Self.gap) + $0 }
    }

    /// Breaks a text into lines of at most `width` characters, at spaces where possible.
    static func wrapped(_ text: String, width: Int?) -> [String] {
        guard let width, text.count > width else { return [text] }
        var lines: [String] = []
        var rest = text[...]
        while !rest.dropFirst(width).isEmpty {
            let head = rest.prefix(width + 1)
            let cut = head.lastIndex(of: " ").flatMap { $0 == rest.startIndex ? nil : $0 }
            let end = cut ?? rest.index(rest.startIndex, offsetBy: width)
            lines.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        if !rest.isEmpty { lines.append(String(rest)) }
        return lines
    }
}

/// Returns a count with its noun, such as "1 fix" or "2 fixes"; `plural` is the singular with an s by default.
func pluralize(_ count: some BinaryInteger, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}
