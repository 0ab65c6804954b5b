import ArgumentParser

/// How rows are written.
enum HistoryFormat: String, CaseIterable, ExpressibleByArgument {
    /// Aligned columns for reading.
    case table
    /// An array of objects.
    case json
    /// An object per line.
    case ndjson
    /// RFC 4180, with a line of column names.
    case csv
    /// A feature per position, or one line for a trip's path.
    case geojson
    /// GPX 1.1: a track per driver.
    case gpx

    /// Whether it draws positions, and so needs rows that have one.
    var needsPositions: Bool { self == .geojson || self == .gpx }

    /// The writer of this format.
    func writer(to output: TextOutput, _ text: AnswerText) -> any RowWriter {
        switch self {
        case .table: TableRows(output, text, width: Terminal.current().width)
        case .json: JSONRows(output, isArray: true)
        case .ndjson: JSONRows(output, isArray: false)
        case .csv: CSVRows(output)
        case .geojson: GeoJSONRows(output)
        case .gpx: GPXRows(output)
        }
    }
}
