import Foundation
import Model

/// The rows of one table of a GTFS feed, a cell looked up by the name of its column.
final class GTFSTable {
    /// One row.
    struct Row {
        fileprivate let cells: [String]
        fileprivate let places: [String: Int]

        /// The cell of a column; `nil` when the feed has no such column or the cell is empty.
        subscript(column: String) -> String? {
            guard let place = places[column], place < cells.count, !cells[place].isEmpty else { return nil }
            return cells[place]
        }

        /// The cell as a finite number.
        func number(_ column: String) -> Double? {
            self[column].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }

        /// The position in two columns, if it is on the globe.
        func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
            guard let latitude = number(latitude), let longitude = number(longitude) else { return nil }
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            return coordinate.isOnGlobe ? coordinate : nil
        }
    }

    private let records: CSVRecordReader?
    private var places: [String: Int] = [:]

    /// Opens `<name>` of the feed in a folder or a zip archive; a table that is not there has no rows.
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

    /// The next row; `nil` after the last.
    func next() throws -> Row? {
        try records?.next().map { Row(cells: CSVLine.cells($0), places: places) }
    }
}
