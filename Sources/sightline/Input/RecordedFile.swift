import Recordings
import Simulation
import Support

/// A file of recorded traces or raw records, to be sent once more.
///
/// Three forms are told apart by the first character: NDJSON of raw records begins with a brace, GPX with a tag, CSV of
/// traces with a header.
struct RecordedFile {
    /// What a file holds.
    struct Survey: Equatable {
        /// What was read, and what was left out.
        var tally = ReadingTally()
        var traces = 0
        var earliest: Timestamp?
        var latest: Timestamp?
        /// Whether a reference stands beside the fixes.
        var hasTruth = false
    }

    /// One record of the raw topic.
    struct Record {
        /// `nil` where the recording does not say.
        var key: String?
        var value: [UInt8]
        /// Its time in the recording, moved; that of the record before it when it has none of its own.
        var at: Timestamp
        var fixes: Int
        /// What is true of its fix, where the recording has a reference.
        var truth: FixTruth?
        /// The line of the file on which it begins.
        var line: Int?
    }

    let path: String
    /// At most this many records are looked at; `nil` takes all.
    var limit: Int?

    /// Reads through the file to learn its extent.
    /// - Throws: ``InputError``, also when there is no record that can be read.
    func survey() throws -> Survey {
        var survey = Survey()
        var traces: Set<String> = []
        survey.tally = try read { line in
            switch line {
            case .row(let row, let hasTruth):
                traces.insert(row.traceID)
                survey.hasTruth = hasTruth
                survey.note(row.at)
            case .raw(let bytes, _):
                let raw = RawLine(bytes)
                if let driver = raw.driverID { traces.insert(driver) }
                survey.note(raw.newest)
            }
        }
        survey.traces = traces.count
        return survey
    }

    /// Hands over every record in the order of the file, changed by `change`.
    ///
    /// Each trace is a session of its own whose fixes are numbered from 1 without gaps, and a trip, so that a fix per
    /// second is within the rate allowed.
    /// - Returns: what was read, and what was left out.
    /// - Throws: ``InputError``, also when there was no record that can be read.
    @discardableResult
    func forEach(_ change: Resending = Resending(), _ body: (Record) throws -> Void) throws -> ReadingTally {
        var sequences: [String: Int64] = [:]
        var sessions = FittedNames()
        var last = Timestamp(milliseconds: change.shiftMilliseconds)
        return try read { line in
            switch line {
            case .row(let row, _):
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
                try body(
                    Record(key: raw.driverID, value: raw.bytes, at: last, fixes: raw.fixes, truth: nil, line: number))
            }
        }
    }

    private enum Line {
        case row(TraceRow, hasTruth: Bool)
        case raw(ByteSlice, number: Int)
    }

    private func read(_ body: (Line) throws -> Void) throws -> ReadingTally {
        let lines = try LineReader(path: path)
        if try lines.peek() == UInt8(ascii: "{") { return try readRecords(lines, body) }
        var tally = ReadingTally()
        var file = try TraceFile(lines, alternatives: "or GPX, or NDJSON of raw records")
        while tally.read < limit ?? .max, let next = try file.next() {
            switch next {
            case .failure(let fault): tally.note(fault)
            case .success(let row):
                tally.noteRead(ignoring: row.ignored)
                try body(.row(row, hasTruth: file.hasTruth))
            }
        }
        try file.requireRecords(tally)
        return tally
    }

    /// Reads NDJSON of raw records; a line that is none is sent like the others, and the pipeline says what is wrong.
    private func readRecords(_ lines: LineReader, _ body: (Line) throws -> Void) throws -> ReadingTally {
        var tally = ReadingTally()
        var hasRecord = false
        while tally.read < limit ?? .max, let line = try lines.next() {
            guard !line.isEmpty else { continue }
            tally.noteRead()
            if !hasRecord {
                let raw = RawLine(line)
                hasRecord = raw.driverID != nil && raw.newest != nil
            }
            try body(.raw(line, number: lines.lineNumber))
        }
        guard hasRecord else {
            throw InputError(
                "\(lines.path): expected NDJSON of raw records, one JSON object with driver_id and timestamp per line. "
                    + "None of its \(tally.read) lines names both.")
        }
        return tally
    }

    private static func record(
        of row: TraceRow, _ session: String, sequence: Int64, _ change: Resending
    ) -> Record {
        let at = Timestamp(milliseconds: row.at.milliseconds + change.shiftMilliseconds)
        let session = change.id(session)
        let coordinate = change.coordinate(row.coordinate)
        var fix = ReportedFix(coordinate: coordinate, deviceAt: at, sequence: sequence, sessionID: session)
        fix.accuracyMeters = row.accuracyMeters
        fix.speedMetersPerSecond = row.speedMetersPerSecond
        // 360 and 0 are one direction; raw records write it as 0.
        fix.headingDegrees = row.headingDegrees.map { $0 == 360 ? 0 : $0 }
        fix.altitudeMeters = row.altitudeMeters
        fix.tripID = session
        let truth = row.trueCoordinate.map {
            FixTruth(
                driverID: row.driverID, sessionID: session, sequence: sequence, coordinate: change.coordinate($0),
                takenAt: at, reported: coordinate, reportedAccuracyMeters: row.accuracyMeters)
        }
        return Record(
            key: row.driverID, value: RawRecordWriter.record(fix, driverID: row.driverID, dialect: .rideshare), at: at,
            fixes: 1, truth: truth, line: row.line)
    }
}

extension RecordedFile.Survey {
    fileprivate mutating func note(_ time: Timestamp?) {
        guard let time else { return }
        earliest = min(earliest ?? time, time)
        latest = max(latest ?? time, time)
    }
}
