/// A file of traces, CSV or GPX, row by row.
package struct TraceFile {
    private enum Form {
        case csv(TraceColumns, CSVRecordReader)
        case gpx(GPXTracks)
    }

    private var form: Form
    private var drivers = FittedNames()
    private let path: String

    /// Finds out by its first byte and line what a file is.
    /// - Throws: ``InputError`` when it is none of the two, or empty.
    package init(_ lines: LineReader, alternatives: String = "or GPX") throws {
        path = lines.path
        try lines.requireUTF8()
        guard let first = try lines.peek() else { throw Self.empty(path, alternatives) }
        if first == UInt8(ascii: "<") {
            form = .gpx(GPXTracks(lines))
            return
        }
        let records = try CSVRecordReader(lines)
        guard let header = try records.next() else { throw Self.empty(path, alternatives) }
        form = .csv(try TraceColumns(header: header, of: path, alternatives: alternatives), records)
    }

    private static func empty(_ path: String, _ alternatives: String) -> InputError {
        InputError("\(path): expected \(TraceColumns.expectation), \(alternatives). The file is empty.")
    }

    /// Whether a reference stands beside the fixes.
    package var hasTruth: Bool {
        if case .csv(let columns, _) = form { columns.hasTruth } else { false }
    }

    /// The next row, or what is wrong with it; `nil` at the end.
    package mutating func next() throws -> Result<TraceRow, RowFault>? {
        switch form {
        case .gpx(var rows):
            let row = try rows.next()
            form = .gpx(rows)
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

    /// - Throws: ``InputError`` when `tally` has no record, which says what the file should have held.
    package func requireRecords(_ tally: ReadingTally) throws {
        guard tally.read == 0 else { return }
        let expectation: String
        switch form {
        case .gpx: expectation = GPXTracks.expectation
        case .csv: expectation = TraceColumns.expectation
        }
        let found = tally.leftOut == 0 ? "There is none." : "None of the \(tally.leftOut) there are can be read."
        throw InputError(
            (["\(path): expected \(expectation). \(found)"] + (tally.leftOut == 0 ? [] : tally.lines(of: path)))
                .joined(separator: "\n"))
    }
}
