import Postgres

/// Rows as aligned columns for people; they are gathered first, so for answers of a size that people read.
final class TableRows: RowWriter {
    private let output: TextOutput
    private var columns: [PostgresColumn] = []
    private var rows: [[String]] = []

    init(_ output: TextOutput) { self.output = output }

    func begin(_ columns: [PostgresColumn]) { self.columns = columns }

    func write(_ row: PostgresRow) throws {
        rows.append(columns.indices.map { Self.text(row, $0, FieldKind(columns[$0])) })
    }

    func end() throws {
        guard !rows.isEmpty else {
            output.append("nothing found\n")
            return
        }
        let widths = columns.indices.map { index in
            max(columns[index].name.count, rows.map { $0[index].count }.max() ?? 0)
        }
        append(columns.map(\.name), widths)
        append(widths.map { String(repeating: "-", count: $0) }, widths)
        for row in rows {
            append(row, widths)
            try output.flushIfFull()
        }
    }

    private func append(_ cells: [String], _ widths: [Int]) {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: widths[index] - cell.count)
            line += (index > 0 ? "  " : "") + (columns[index].isNumeric ? padding + cell : cell + padding)
        }
        while line.last == " " { line.removeLast() }
        output.append(line + "\n")
    }

    private static func text(_ row: PostgresRow, _ column: Int, _ kind: FieldKind) -> String {
        guard let text = row.string(column) else { return "" }
        switch kind {
        case .boolean: return text == "t" ? "yes" : "no"
        case .textArray: return text.dropFirst().dropLast().split(separator: ",").joined(separator: " ")
        // Distances and shares are computed to 15 digits, more than a reader needs.
        case .number where row.columns[column].name.hasSuffix("itude"): return rounded(text, decimals: 7)
        case .number: return rounded(text, decimals: 2)
        case .timestamp where text.hasSuffix("+00"): return String(text.dropLast(3))
        case .timestamp, .text, .json: return text
        }
    }

    private static func rounded(_ text: String, decimals: Int) -> String {
        guard text.contains("."), let value = Double(text), value.magnitude < 1e12 else { return text }
        let scale = decimals == 7 ? 1e7 : 1e2
        return "\((value * scale).rounded() / scale)"
    }
}
