/// Rows as aligned columns for people, in lines that fit a width.
///
/// Where not all columns fit, those that do are shown and the others are named below; where not even the first ones fit,
/// each row becomes a block of lines, a column each.
struct FittedTable {
    struct Column {
        var name: String
        var isNumeric = false
    }

    var columns: [Column]
    var rows: [[String]] = []
    /// A text below each row, or none at all.
    var details: [String] = []
    /// What a reader does to see columns that are left out.
    var advice = "widen the terminal"

    private static let gap = 2
    /// Columns without which a row says nothing.
    private static let essential = 3

    init(_ columns: [Column]) { self.columns = columns }

    /// `width`: `nil` for lines of any length.
    func lines(width: Int?) -> [String] {
        let widths = columns.indices.map { index in
            max(columns[index].name.count, rows.lazy.map { $0[index].count }.max() ?? 0)
        }
        guard let width, Self.total(widths) > width else { return table(Array(columns.indices), widths, nil) }
        let filled = columns.indices.filter { index in rows.contains { !$0[index].isEmpty } }
        let needed = max(Self.essential, (columns.firstIndex { $0.name == "longitude" } ?? -1) + 1)
        guard Self.total(filled.prefix(needed).map { widths[$0] }) <= width else { return blocks(filled, width) }
        var shown: [Int] = []
        for index in filled where Self.total((shown + [index]).map { widths[$0] }) <= width { shown.append(index) }
        let hidden = filled.filter { !shown.contains($0) }
        var lines = table(shown, widths, width)
        if !hidden.isEmpty {
            let names = hidden.map { columns[$0].name }.joined(separator: ", ")
            lines += Self.wrapped("No room for \(names): \(advice).", width: width)
        }
        return lines
    }

    private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * max(0, widths.count - 1) }

    private func table(_ shown: [Int], _ widths: [Int], _ width: Int?) -> [String] {
        var lines = [line(columns.map(\.name), shown, widths)]
        lines.append(line(widths.map { String(repeating: "-", count: $0) }, shown, widths))
        for (number, row) in rows.enumerated() {
            lines.append(line(row, shown, widths))
            if details.indices.contains(number) { lines += detail(number, width) }
        }
        return lines
    }

    private func line(_ cells: [String], _ shown: [Int], _ widths: [Int]) -> String {
        let padded = shown.map { index in
            let padding = String(repeating: " ", count: max(0, widths[index] - cells[index].count))
            return columns[index].isNumeric ? padding + cells[index] : cells[index] + padding
        }
        var line = padded.joined(separator: String(repeating: " ", count: Self.gap))
        while line.last == " " { line.removeLast() }
        return line
    }

    private func blocks(_ shown: [Int], _ width: Int) -> [String] {
        let nameWidth = shown.map { columns[$0].name.count }.max() ?? 0
        var lines: [String] = []
        for (number, row) in rows.enumerated() {
            if number > 0 { lines.append("") }
            for index in shown where !row[index].isEmpty {
                let name = columns[index].name
                let indent = String(repeating: " ", count: nameWidth - name.count + Self.gap)
                let rest = max(8, width - nameWidth - Self.gap)
                let parts = Self.wrapped(row[index], width: rest)
                lines.append(name + indent + (parts.first ?? ""))
                lines += parts.dropFirst().map { String(repeating: " ", count: nameWidth + Self.gap) + $0 }
            }
            if details.indices.contains(number) { lines += detail(number, width) }
        }
        return lines
    }

    private func detail(_ number: Int, _ width: Int?) -> [String] {
        let indent = String(repeating: " ", count: Self.gap)
        return Self.wrapped(details[number], width: width.map { $0 - Self.gap }).map { indent + $0 }
    }

    /// The text in lines of at most `width` characters, broken at spaces where there are any.
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
