import Postgres

/// Table that the sink writes, with its columns and their values for a `Row`.
struct HistoryTable<Row>: Sendable {
    typealias Column = (name: String, append: @Sendable (inout CopyBuffer, Row) -> Void)

    let name: String
    /// Columns in the order of the schema; columns that a newer release added get their defaults.
    let columns: [Column]
    let copyStatement: String

    init(_ name: String, _ columns: [Column]) {
        (self.name, self.columns) = (name, columns)
        copyStatement = "COPY \(name) (\(columns.map(\.name).joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }

    func append(_ row: Row, to buffer: inout CopyBuffer) {
        buffer.beginRow(fieldCount: columns.count)
        for column in columns { column.append(&buffer, row) }
    }
}
