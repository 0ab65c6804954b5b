/// Rows as aligned columns for people, in lines that fit a width.
///
/// Where not all columns fit, the more important ones are shown that do.
struct FittedTable {
    /// Where a table is shown, which decides what becomes of the columns without room.
    enum Place {
        /// In the output of a command, which may grow longer: the columns without room are named below. Where not even
        /// the first ones fit, each row becomes a block of lines, a column each.
        case output
        /// On a screen, indented: it has no lines left for the columns without room.
        case screen
    }

    struct Column {
        var name: String
        /// Whether its cells stand at the right.
        var isNumeric = false
        /// Of equally important columns each is shown that fits beside those before it; less important ones only where
        /// all the others are.
        var importance = 0
    }

    var columns: [Column]
    private let place: Place
    var rows: [[StyledLine]] = []
    /// A text below each row, or none at all.
    var details: [String] = []
    /// What a reader does to see columns that are left out.
    var advice = "widen the terminal"

    private static let gap = 2
    /// Columns without which a row says nothing.
    private static let essential = 3

    init(_ columns: [Column], on place: Place = .output) {
        self.columns = columns
        self.place = place
    }

    /// Adds a row without colours.
    mutating func add(_ cells: [String]) { rows.append(cells.map { StyledLine($0) }) }

    /// The lines without colours; `width`: `nil` for lines of any length.
    func text(width: Int?) -> [String] { lines(width: width).map { $0.text(hasColor: false) } }

    /// `width`: `nil` for lines of any length.
    func lines(width: Int?) -> [StyledLine] {
        let all = Array(columns.indices)
        let widths = all.map { index in max(columns[index].name.count, rows.lazy.map { $0[index].width }.max() ?? 0) }
        guard let width, total(all, widths) > width else { return table(all, widths, nil) }
        let filled = all.filter { index in rows.contains { $0[index].width > 0 } }
        let shown = fitting(filled, widths, width)
        switch place {
        case .screen: return table(shown, widths, width).map { $0.clipped(to: width) }
        case .output:
            let needed = max(Self.essential, (columns.firstIndex { $0.name == "longitude" } ?? -1) + 1)
            guard total(Array(filled.prefix(needed)), widths) <= width else { return blocks(filled, width) }
            return table(shown, widths, width) + note(of: filled.filter { !shown.contains($0) }, width)
        }
    }

    private var indent: String { place == .screen ? Self.blanks(Self.gap) : "" }

    private func total(_ shown: [Int], _ widths: [Int]) -> Int {
        indent.count + shown.reduce(0) { $0 + widths[$1] } + Self.gap * max(0, shown.count - 1)
    }

    /// Those of `candidates` that are shown; at least the most important one.
    private func fitting(_ candidates: [Int], _ widths: [Int], _ width: Int) -> [Int] {
        let levels = Set(candidates.map { columns[$0].importance }).sorted(by: >)
        var shown: [Int] = []
        for level in levels {
            let equals = candidates.filter { columns[$0].importance == level }
            let before = shown.count
            for index in equals where shown.isEmpty || total(shown + [index], widths) <= width { shown.append(index) }
            guard shown.count == before + equals.count else { break }
        }
        return shown.sorted()
    }

    private func note(of hidden: [Int], _ width: Int) -> [StyledLine] {
        guard !hidden.isEmpty else { return [] }
        let names = hidden.map { columns[$0].name }.joined(separator: ", ")
        return Self.wrapped("No room for \(names): \(advice).", width: width).map { StyledLine($0) }
    }

    private func table(_ shown: [Int], _ widths: [Int], _ width: Int?) -> [StyledLine] {
        let ink: StyledLine.Ink = place == .screen ? .faint : .plain
        var lines = [line(columns.map { StyledLine($0.name, ink) }, shown, widths)]
        if place == .output {
            lines.append(line(widths.map { StyledLine(String(repeating: "-", count: $0)) }, shown, widths))
        }
        for (number, row) in rows.enumerated() {
            lines.append(line(row, shown, widths))
            if details.indices.contains(number) { lines += detail(number, width) }
        }
        return lines
    }

    private func line(_ cells: [StyledLine], _ shown: [Int], _ widths: [Int]) -> StyledLine {
        var line = StyledLine(indent)
        for (number, index) in shown.enumerated() {
            let padding = StyledLine(Self.blanks(widths[index] - cells[index].width))
            line = line + StyledLine(number > 0 ? Self.blanks(Self.gap) : "")
            line = line + (columns[index].isNumeric ? padding + cells[index] : cells[index] + padding)
        }
        return line.withoutBlanksAtEnd()
    }

    private func blocks(_ shown: [Int], _ width: Int) -> [StyledLine] {
        let nameWidth = shown.map { columns[$0].name.count }.max() ?? 0
        var lines: [StyledLine] = []
        for (number, row) in rows.enumerated() {
            if number > 0 { lines.append("") }
            for index in shown where row[index].width > 0 {
                let name = columns[index].name
                let rest = max(8, width - nameWidth - Self.gap)
                let parts = Self.wrapped(row[index].text(hasColor: false), width: rest)
                lines.append(StyledLine(name + Self.blanks(nameWidth - name.count + Self.gap) + (parts.first ?? "")))
                lines += parts.dropFirst().map { StyledLine(Self.blanks(nameWidth + Self.gap) + $0) }
            }
            if details.indices.contains(number) { lines += detail(number, width) }
        }
        return lines
    }

    private func detail(_ number: Int, _ width: Int?) -> [StyledLine] {
        Self.wrapped(details[number], width: width.map { $0 - Self.gap }).map { StyledLine(Self.blanks(Self.gap) + $0) }
    }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

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
