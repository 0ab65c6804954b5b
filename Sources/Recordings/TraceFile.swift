import Domain
import Support

/// Reader of the rows of a CSV or GPX file of traces.
package struct TraceFile {
    private enum Format {
        case csv(TraceColumns, CSVRecordReader)
        case gpx(GPXTracks)
    }

    private var format: Format
    private var drivers = DriverIDMapper()
    private let path: String

    /// Detects the format: GPX begins with `<`, CSV with a header.
    /// - Throws: ``InputError`` if the file has another format or is empty.
    package init(_ lines: LineReader, alternatives: String = "or GPX") throws {
        path = lines.path
        try lines.requireUTF8()
        guard let first = try lines.peek() else { throw Self.empty(path, alternatives) }
        if first == UInt8(ascii: "<") {
            format = .gpx(GPXTracks(lines))
            return
        }
        let records = try CSVRecordReader(lines)
        guard let header = try records.next() else { throw Self.empty(path, alternatives) }
        format = .csv(try TraceColumns(header: header, of: path, alternatives: alternatives), records)
    }

    private static func empty(_ path: String, _ alternatives: String) -> InputError {
        InputError("\(path): expected \(TraceColumns.expectation), \(alternatives). The file is empty.")
    }

    /// Whether the file contains true positions.
    package var hasTruth: Bool {
        if case .csv(let columns, _) = format { columns.hasTruth } else { false }
    }

    /// Returns the next row or its fault; `nil` at the end.
    private mutating func next() throws -> Result<TraceRow, RowFault>? {
        switch format {
        case .gpx(var rows):
            let row = try rows.next()
            format = .gpx(rows)
            return row
        case .csv(let columns, let records):
            guard let record = try records.next() else { return nil }
            do {
                var row = try columns.row(record)
                for index in row.ignored.indices { row.ignored[index].line = records.lineNumber }
                row.line = records.lineNumber
                row.driverID = drivers.id(of: row.driverID)
                return .success(row)
            } catch {
                var fault = error
                fault.line = records.lineNumber
                return .failure(fault)
            }
        }
    }

    /// Calls `body` with each readable row, up to `limit`.
    /// - Returns: the counts of rows read and left out.
    /// - Throws: ``InputError``, also if no row is readable.
    package mutating func forEachRow(limit: Int = .max, _ body: (TraceRow) throws -> Void) throws -> ReadingTally {
        var tally = ReadingTally()
        while tally.read < limit, let next = try next() {
            switch next {
            case .failure(let fault): tally.recordSkipped(fault)
            case .success(let row):
                tally.recordRead(ignoring: row.ignored)
                try body(row)
            }
        }
        guard tally.read == 0 else { return tally }
        let expectation: String
        switch format {
        case .gpx: expectation = GPXTracks.expectation
        case .csv: expectation = TraceColumns.expectation
        }
        let contents =
            tally.leftOut == 0 ? "The file has no records." : "None of its \(tally.leftOut) records is readable."
        let faults = tally.leftOut == 0 ? [] : tally.lines(of: path)
        throw InputError((["\(path): expected \(expectation). \(contents)"] + faults).joined(separator: "\n"))
    }
}

/// A row of a recorded trace.
package struct TraceRow: Equatable {
    package var traceID: String
    package var driverID: String
    package var at: Timestamp
    package var coordinate: Coordinate
    package var accuracyMeters: Double?
    package var speedMetersPerSecond: Double?
    package var headingDegrees: Double?
    package var altitudeMeters: Double?
    /// True position; `nil` if unknown.
    package var trueCoordinate: Coordinate?
    /// Whether the recording marks the position as forged.
    package var isSpoofed = false
    /// Scheduled run that the vehicle reports.
    package var run = VehicleLog.Label()
    /// Invalid cells, which count as empty.
    package var ignored: [RowFault] = []
    /// First line in the file, counted from 1; 0 if unknown.
    package var line = 0
}
