import Postgres

/// A writer of rows as aligned columns, which buffers the whole result.
final class TableRows: RowWriter {
    private let text: ResultText
    private let width: Int?
    private var table = TextTable([])

    /// Creates a writer; `width` is that of the terminal, `nil` for lines of any length.
    init(_ output: TextOutput, _ text: ResultText, width: Int?) {
        self.text = text
        self.width = width
        super.init(output)
    }

    override func begin(_ columns: [PostgresColumn]) {
        super.begin(columns)
        table = TextTable(columns.map { TextTable.Column(name: $0.name, isNumeric: $0.isNumeric) })
        table.advice = "widen the terminal, or use --format csv or json"
    }

    override func write(_ row: PostgresRow) throws {
        table.add(columns.indices.map { Self.text(row, $0, columns[$0].kind) })
    }

    override func end() throws {
        guard !table.rows.isEmpty else {
            for line in TextTable.wrapped(text.empty, width: width) { output.append(line + "\n") }
            return
        }
        for line in table.lines(width: width) {
            output.append(line + "\n")
            try output.flushIfFull()
        }
        output.append(pluralize(table.rows.count, text.row, text.rows) + "\n")
    }

    /// Replaces the UTC offset of Postgres by Z: `2025-03-14 18:32:15.123Z`.
    static func utc(_ text: String) -> String { text.hasSuffix("+00") ? text.dropLast(3) + "Z" : text }

    private static func text(_ row: PostgresRow, _ column: Int, _ kind: FieldKind) -> String {
        guard let text = row.string(column) else { return "" }
        switch kind {
        case .boolean: return text == "t" ? "yes" : "no"
        case .textArray: return text.dropFirst().dropLast().split(separator: ",").joined(separator: " ")
        // Numbers have up to 15 digits. Seven decimals of latitude and longitude are about 1 cm.
        case .number where row.columns[column].name.hasSuffix("itude"): return rounded(text, decimals: 7)
        case .number: return rounded(text, decimals: 2)
        case .timestamp: return utc(text)
        case .text, .json: return text
        }
    }

    private static func rounded(_ text: String, decimals: Int) -> String {
        guard text.contains("."), let value = Double(text), value.magnitude < 1e12 else { return text }
        let scale = decimals == 7 ? 1e7 : 1e2
        return "\((value * scale).rounded() / scale)"
    }
}
