import Recordings
import Simulation
import Support

/// A file of recorded traces or raw records.
///
/// The first character selects the format: `{` for NDJSON of raw records, `<` for GPX, anything else for CSV of traces.
struct RecordedFile {
    struct Survey: Equatable {
        var tally = ReadingTally()
        var traces = 0
        var earliest: Timestamp?
        var latest: Timestamp?
    }

    /// A record for the raw topic.
    struct Record {
        /// The driver; `nil` if unknown.
        var key: String?
        var value: [UInt8]
        /// The shifted time of the record, or of the previous record if this one has no time.
        var at: Timestamp
        /// The reference position, if any.
        var truth: FixGroundTruth?
        /// The first line of the record in the file.
        var line: Int?
    }

    let path: String
    /// Maximum number of records to read; `nil` for all.
    var limit: Int?

    /// Reads the whole file.
    /// - Throws: ``InputError``, also if no record is readable.
    func survey() throws -> Survey {
        var survey = Survey()
        var traces: Set<String> = []
        survey.tally = try read { line in
            switch line {
            case .row(let row):
                traces.insert(row.traceID)
                survey.include(row.at)
            case .raw(let bytes, _):
                let raw = RawLine(bytes)
                if let driver = raw.driverID { traces.insert(driver) }
                survey.include(raw.newest)
            }
        }
        survey.traces = traces.count
        return survey
    }

    /// Calls `body` with every record in the order of the file, changed by `change`.
    ///
    /// Each trace of CSV or GPX becomes a session with gap-free sequence numbers from 1. It also becomes a trip,
    /// because the rate limit then allows a fix per second.
    /// - Returns: the counts of records read and skipped.
    /// - Throws: ``InputError``, also if no record is readable.
    @discardableResult
    func forEach(_ change: ReplayTransform = ReplayTransform(), _ body: (Record) throws -> Void) throws -> ReadingTally
    {
        var sequences: [String: Int64] = [:]
        var sessions = DriverIDMapper()
        var last = Timestamp(milliseconds: change.shiftMilliseconds)
        return try read { line in
            switch line {
            case .row(let row):
                sequences[row.traceID, default: 0] += 1
                let session = sessions.id(of: row.traceID)
                let record = Self.record(of: row, session, sequence: sequences[row.traceID] ?? 1, change)
                last = record.at
                try body(record)
            case .raw(let bytes, let number):
                let raw = RawLine(bytes, change)
                if let newest = raw.newest {
                    last = Timestamp(milliseconds: newest.milliseconds + change.shiftMilliseconds)
                }
                try body(Record(key: raw.driverID, value: raw.bytes, at: last, line: number))
            }
        }
    }

    private enum Line {
        case row(TraceRow)
        case raw(ByteSlice, number: Int)
    }

    private func read(_ body: (Line) throws -> Void) throws -> ReadingTally {
        let lines = try LineReader(path: path)
        if try lines.peek() == UInt8(ascii: "{") { return try readRecords(lines, body) }
        var file = try TraceFile(lines, alternatives: "or GPX, or NDJSON of raw records")
        return try file.forEachRow(limit: limit ?? .max) { try body(.row($0)) }
    }

    /// Reads NDJSON of raw records, including invalid lines, which become dead letters.
    private func readRecords(_ lines: LineReader, _ body: (Line) throws -> Void) throws -> ReadingTally {
        var tally = ReadingTally()
        var hasRecord = false
        while tally.read < limit ?? .max, let line = try lines.next() {
            guard !line.isEmpty else { continue }
            tally.recordRead()
            if !hasRecord {
                let raw = RawLine(line)
                hasRecord = raw.driverID != nil && raw.newest != nil
            }
            try body(.raw(line, number: lines.lineNumber))
        }
        guard hasRecord else {
            throw InputError(
                "\(lines.path): expected NDJSON of raw records, one JSON object with driver_id and timestamp per line. "
                    + "None of the \(tally.read) lines has both.")
        }
        return tally
    }

    private static func record(
        of row: TraceRow, _ session: String, sequence: Int64, _ change: ReplayTransform
    ) -> Record {
        let at = Timestamp(milliseconds: row.at.milliseconds + change.shiftMilliseconds)
        let session = change.id(session)
        let coordinate = change.coordinate(row.coordinate)
        var fix = ReportedFix(coordinate: coordinate, deviceAt: at, sequence: sequence, sessionID: session)
        fix.accuracyMeters = row.accuracyMeters
        fix.speedMetersPerSecond = row.speedMetersPerSecond
        // Raw records use 0 for 360 degrees.
        fix.headingDegrees = row.headingDegrees.map { $0 == 360 ? 0 : $0 }
        fix.altitudeMeters = row.altitudeMeters
        fix.tripID = session
        let truth = row.trueCoordinate.map {
            FixGroundTruth(
                driverID: row.driverID, sessionID: session, sequence: sequence, coordinate: change.coordinate($0),
                takenAt: at, reported: coordinate, reportedAccuracyMeters: row.accuracyMeters)
        }
        return Record(
            key: row.driverID, value: RawRecordWriter.record(fix, driverID: row.driverID, format: .rideshare), at: at,
            truth: truth, line: row.line)
    }
}

extension RecordedFile.Survey {
    fileprivate mutating func include(_ time: Timestamp?) {
        guard let time else { return }
        earliest = min(earliest ?? time, time)
        latest = max(latest ?? time, time)
    }
}
