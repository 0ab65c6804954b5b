/// A table of figures, for terminals and for Markdown; without columns it is its title alone.
package struct TextTable: Sendable, Equatable {
    package let title: String
    package let columns: [String]
    package private(set) var rows: [[String]] = []

    package init(title: String, columns: [String]) {
        self.title = title
        self.columns = columns
    }

    /// Adds a row; it has a cell for every column.
    package mutating func add(_ cells: [String]) {
        precondition(
            cells.count == columns.count, "A row was added whose number of cells differs from the table's columns.")
        rows.append(cells)
    }

    /// With spaces between the columns: the first to the left, the others to the right.
    package var text: String {
        guard !columns.isEmpty else { return title + "\n" }
        let lines = [columns] + rows
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let body = lines.map { cells in
            let padded = cells.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            return Self.trimmed(padded.joined(separator: "  "))
        }
        return ([title] + body).joined(separator: "\n") + "\n"
    }

    /// As a Markdown table, without the title: the first column to the left, the others to the right.
    package var markdown: String {
        guard !columns.isEmpty else { return "" }
        func line(_ cells: [String]) -> String {
            "| " + cells.map(Self.markdown(escaping:)).joined(separator: " | ") + " |"
        }
        let rule = "|---|" + String(repeating: "---:|", count: columns.count - 1)
        return ([line(columns), rule] + rows.map(line)).joined(separator: "\n") + "\n"
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// A text on one line that Markdown shows as it is, also within a cell; blanks at its beginning indent it.
    static func markdown(escaping text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case " " where escaped.allSatisfy { $0 == "\u{2003}" }: escaped.append("\u{2003}")
            case "|", "\\", "*", "<", "`", "[", "]": escaped += "\\\(character)"
            case _ where character.isNewline: escaped += " "
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
