/// A table that gives up its least important columns where the width does not hold them.
struct StyledTable {
    struct Column {
        var title: String
        /// Whether its cells stand at the right, as numbers do.
        var isNumber = false
        /// Columns with the lowest are left out first.
        var importance = 0
    }

    var columns: [Column]
    var rows: [[StyledLine]] = []

    /// The lines, the titles first; each begins with `indent` blanks and is at most `width` wide.
    func lines(width: Int, indent: Int = 2) -> [StyledLine] {
        let widths = columns.indices.map { place in
            max(columns[place].title.count, rows.map { $0[place].width }.max() ?? 0)
        }
        var shown = Array(columns.indices)
        func total() -> Int { indent + shown.reduce(0) { $0 + widths[$1] } + 2 * (shown.count - 1) }
        while shown.count > 1, total() > width,
            let least = shown.min(by: { columns[$0].importance < columns[$1].importance })
        {
            shown.removeAll { $0 == least }
        }
        let titles = columns.map { StyledLine($0.title, .faint) }
        return ([titles] + rows).map { cells in
            var line = StyledLine(String(repeating: " ", count: indent))
            for (number, place) in shown.enumerated() {
                let padding = StyledLine(String(repeating: " ", count: widths[place] - cells[place].width))
                let isLast = number == shown.count - 1
                line = line + (number > 0 ? "  " : "")
                if columns[place].isNumber { line = line + padding }
                line = line + cells[place]
                if !columns[place].isNumber, !isLast { line = line + padding }
            }
            return line.clipped(to: width)
        }
    }
}
