/// Reads the rows of a CSV file by column name.
final class CSVTable {
    /// A row; its cells are accessed by column name.
    struct Row {
        fileprivate let cells: [String]
        fileprivate let places: [String: Int]

        /// The cell of a column; `nil` if the column is missing or the cell is empty.
        subscript(column: String) -> String? {
            guard let place = places[column], place < cells.count, !cells[place].isEmpty else { return nil }
            return cells[place]
        }

        /// The cell as a number of this type.
        func number<Number: LosslessStringConvertible>(_ column: String) -> Number? {
            self[column].flatMap(Number.init)
        }
    }

    private let records: CSVRecordReader
    /// The first record; empty if the file is empty.
    let header: String
    /// Index of each column, by name.
    let places: [String: Int]

    init(_ lines: LineReader) throws {
        records = try CSVRecordReader(lines)
        header = try records.next() ?? ""
        places = Dictionary(
            CSVLine.names(header).enumerated().map { ($1, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// Returns the next row; `nil` after the last.
    func next() throws -> Row? {
        try records.next().map { Row(cells: CSVLine.cells($0), places: places) }
    }
}
