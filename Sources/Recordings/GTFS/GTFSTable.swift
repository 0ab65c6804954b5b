import Domain
import Foundation

/// Reads the rows of a table of a GTFS feed.
final class GTFSTable {
    /// A row, with its cells by column name.
    struct Row {
        fileprivate let cells: [String]
        fileprivate let places: [String: Int]

        /// The cell of a column; `nil` if the column is missing or the cell is empty.
        subscript(column: String) -> String? {
            guard let place = places[column], place < cells.count, !cells[place].isEmpty else { return nil }
            return cells[place]
        }

        /// The cell as a finite number.
        func number(_ column: String) -> Double? {
            self[column].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }

        /// The position in two columns; `nil` if it is invalid.
        func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
            guard let latitude = number(latitude), let longitude = number(longitude) else { return nil }
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            return coordinate.isOnGlobe ? coordinate : nil
        }
    }

    private let records: CSVRecordReader?
    private var places: [String: Int] = [:]

    /// Opens a table of the feed in a folder or zip archive; a missing table has no rows.
    init(_ name: String, ofFeed path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw InputError("\(path) does not exist.")
        }
        let lines: LineReader?
        if isFolder.boolValue {
            let file = "\(path)/\(name)"
            lines = FileManager.default.fileExists(atPath: file) ? try LineReader(path: file) : nil
        } else {
            lines = try LineReader(member: name, ofZip: path)
        }
        records = try lines.map { try CSVRecordReader($0) }
        guard let header = try records?.next() else { return }
        for (place, name) in CSVLine.names(header).enumerated() { places[name] = place }
    }

    /// Returns the next row; `nil` after the last.
    func next() throws -> Row? {
        try records?.next().map { Row(cells: CSVLine.cells($0), places: places) }
    }
}
