/// Reader of the rows of a CSV file by column name.
final class CSVTable {
    /// A row; its cells are accessed by column name.
    struct Row {
        fileprivate let cells: [String]
        fileprivate let columnIndices: [String: Int]

        /// The cell of a column; `nil` if the column is missing or the cell is empty.
        subscript(column: String) -> String? {
            guard let index = columnIndices[column], index < cells.count, !cells[index].isEmpty else { return nil }
            return cells[index]
        }

        /// Returns the cell as a number; `nil` if it is missing or not a number.
        func number<Number: LosslessStringConvertible>(_ column: String) -> Number? {
            self[column].flatMap(Number.init)
        }
    }

    private let records: CSVRecordReader
    /// The first record; empty if the file is empty.
    let header: String
    /// Index of each column, by name.
    let columnIndices: [String: Int]

    init(_ lines: LineReader) throws {
        records = try CSVRecordReader(lines)
        header = try records.next() ?? ""
        columnIndices = Dictionary(
            CSVLine.names(header).enumerated().map { ($1, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// Returns the next row; `nil` at the end.
    func next() throws -> Row? {
        try records.next().map { Row(cells: CSVLine.cells($0), columnIndices: columnIndices) }
    }
}
