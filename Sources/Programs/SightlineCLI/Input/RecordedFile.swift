import Bytes
import Recordings
import Simulation
import Tracking

/// A file of recorded traces or raw records, to be sent once more.
///
/// Two forms are told apart by the first line: NDJSON of raw records begins with a brace, CSV of traces with a header.
struct RecordedFile {
    /// What a file holds.
    struct Survey: Equatable {
        /// Records that can be sent.
        var records = 0
        /// Rows without a trace, time or position that can be read.
        var unreadable = 0
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
    }

    let path: String
    /// At most this many records are looked at; `nil` takes all.
    var limit: Int?

    /// Reads through the file to learn its extent.
    /// - Throws: ``InputError``.
    func survey() throws -> Survey {
        var survey = Survey()
        var traces: Set<String> = []
        try read { line in
            switch line {
            case .row(let row, let hasTruth):
                traces.insert(row.traceID)
                survey.hasTruth = hasTruth
                survey.note(row.at)
            case .raw(let bytes):
                let raw = RawLine(bytes)
                if let driver = raw.driverID { traces.insert(driver) }
                survey.note(raw.newest)
            case .unreadable: survey.unreadable += 1
            }
        }
        survey.traces = traces.count
        return survey
    }

    /// Hands over every record in the order of the file, its times moved by `shiftMilliseconds`.
    ///
    /// Each trace is a session of its own whose fixes are numbered from 1 without gaps, and a trip, so that a fix per
    /// second is within the rate allowed. `round` tells the sessions of a file that is sent repeatedly apart.
    func forEach(shiftMilliseconds: Int64, round: Int = 0, _ body: (Record) throws -> Void) throws {
        var sequences: [String: Int64] = [:]
        var last = Timestamp(milliseconds: shiftMilliseconds)
        try read { line in
            switch line {
            case .row(let row, _):
                sequences[row.traceID, default: 0] += 1
                let session = round == 0 ? row.traceID : "\(row.traceID)#\(round + 1)"
                let record = Self.record(
                    of: row, session: session, sequence: sequences[row.traceID] ?? 1, shift: shiftMilliseconds)
                last = record.at
                try body(record)
            case .raw(let bytes):
                let raw = RawLine(bytes, shiftMilliseconds: shiftMilliseconds)
                if let newest = raw.newest { last = Timestamp(milliseconds: newest.milliseconds + shiftMilliseconds) }
                try body(Record(key: raw.driverID, value: raw.bytes, at: last, fixes: raw.fixes, truth: nil))
            case .unreadable: break
            }
        }
    }

    private enum Line {
        case row(TraceRow, hasTruth: Bool)
        case raw(ByteSlice)
        case unreadable
    }

    private func read(_ body: (Line) throws -> Void) throws {
        let lines = try LineReader(path: path)
        guard let first = try lines.next() else { throw InputError("\(path) is empty.") }
        var left = limit ?? .max
        if first.buffer.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") {
            try body(.raw(first))
            left -= 1
            while left > 0, let line = try lines.next() {
                guard !line.isEmpty else { continue }
                try body(.raw(line))
                left -= 1
            }
            return
        }
        let columns = try TraceColumns(header: first.string)
        while left > 0, let line = try lines.next() {
            guard !line.isEmpty else { continue }
            if let row = columns.row(line.string) {
                try body(.row(row, hasTruth: columns.hasTruth))
                left -= 1
            } else {
                try body(.unreadable)
            }
        }
    }

    private static func record(of row: TraceRow, session: String, sequence: Int64, shift: Int64) -> Record {
        let at = Timestamp(milliseconds: row.at.milliseconds + shift)
        var fix = ReportedFix(coordinate: row.coordinate, deviceAt: at, sequence: sequence, sessionID: session)
        fix.accuracyMeters = row.accuracyMeters
        fix.speedMetersPerSecond = row.speedMetersPerSecond
        // 360 and 0 are one direction; raw records write it as 0.
        fix.headingDegrees = row.headingDegrees.map { $0 == 360 ? 0 : $0 }
        fix.altitudeMeters = row.altitudeMeters
        fix.tripID = session
        let truth = row.trueCoordinate.map {
            FixTruth(
                driverID: row.driverID, sessionID: session, sequence: sequence, coordinate: $0, takenAt: at,
                reported: row.coordinate, reportedAccuracyMeters: row.accuracyMeters)
        }
        return Record(
            key: row.driverID, value: RawRecordWriter.record(fix, driverID: row.driverID, dialect: .rideshare), at: at,
            fixes: 1, truth: truth)
    }
}

extension RecordedFile.Survey {
    fileprivate mutating func note(_ time: Timestamp?) {
        records += 1
        guard let time else { return }
        earliest = min(earliest ?? time, time)
        latest = max(latest ?? time, time)
    }
}
