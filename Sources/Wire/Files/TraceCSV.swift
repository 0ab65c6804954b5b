import Lanes
import Tracking

/// Reads recorded traces line by line: CSV whose first line names the columns, in any order, others ignored.
///
/// `trace_id`, `driver_id`, `timestamp_ms`, `latitude` and `longitude` are required; `accuracy_m`, `speed_mps`,
/// `heading_deg`, `altitude_m`, `true_latitude` and `true_longitude` may be missing or empty. Fields may be quoted
/// (RFC 4180); a line break inside quotes is not supported.
package struct TraceCSV {
    /// What a line turned out to be.
    package enum Line: Equatable {
        /// The header, or a line with nothing in it.
        case nothing
        case row(TraceRow)
        /// `number` counts from 1.
        case unreadable(number: Int, reason: String)
    }

    private enum Column: Int, CaseIterable {
        case traceID, driverID, timestamp, latitude, longitude
        case accuracy, speed, heading, altitude, trueLatitude, trueLongitude

        var name: String {
            switch self {
            case .traceID: "trace_id"
            case .driverID: "driver_id"
            case .timestamp: "timestamp_ms"
            case .latitude: "latitude"
            case .longitude: "longitude"
            case .accuracy: "accuracy_m"
            case .speed: "speed_mps"
            case .heading: "heading_deg"
            case .altitude: "altitude_m"
            case .trueLatitude: "true_latitude"
            case .trueLongitude: "true_longitude"
            }
        }

        var isRequired: Bool { rawValue <= Column.longitude.rawValue }
    }

    private struct Fault: Error {
        var reason: String
    }

    /// Where each column stands; empty before the header.
    private var positions: [Int?] = []
    private var fields: [String] = []

    package init() {}

    /// Whether the file has a reference beside its fixes; known after the header.
    package var hasTruth: Bool {
        !positions.isEmpty && positions[Column.trueLatitude.rawValue] != nil
            && positions[Column.trueLongitude.rawValue] != nil
    }

    /// Reads the next line.
    package mutating func read(_ line: ByteSlice, number: Int) -> Line {
        do {
            try split(line)
            guard fields != [""] else { return .nothing }
            guard positions.isEmpty else { return .row(try row()) }
            try takeHeader()
            return .nothing
        } catch {
            return .unreadable(number: number, reason: error.reason)
        }
    }

    private mutating func takeHeader() throws(Fault) {
        // A spreadsheet may have put a byte order mark in front.
        if fields[0].unicodeScalars.first == "\u{FEFF}" { fields[0].unicodeScalars.removeFirst() }
        let found = Column.allCases.map { column in fields.firstIndex(of: column.name) }
        for column in Column.allCases where column.isRequired && found[column.rawValue] == nil {
            throw Fault(reason: "The header has no column \(column.name).")
        }
        positions = found
    }

    private func row() throws(Fault) -> TraceRow {
        guard let traceID = text(.traceID), let driverID = text(.driverID), let time = text(.timestamp) else {
            throw Fault(reason: "One of trace_id, driver_id and timestamp_ms is empty.")
        }
        guard let milliseconds = Int64(time) else { throw Fault(reason: "timestamp_ms is not a whole number.") }
        guard let latitude = try number(.latitude, in: -90...90), let longitude = try number(.longitude, in: -180...180)
        else { throw Fault(reason: "The position is empty.") }
        var row = TraceRow(
            traceID: traceID, driverID: driverID, at: Timestamp(milliseconds: milliseconds),
            coordinate: Coordinate(latitude: latitude, longitude: longitude))
        row.accuracyMeters = try number(.accuracy)
        row.speedMetersPerSecond = try number(.speed)
        row.headingDegrees = try number(.heading)
        row.altitudeMeters = try number(.altitude)
        if let latitude = try number(.trueLatitude, in: -90...90),
            let longitude = try number(.trueLongitude, in: -180...180)
        {
            row.trueCoordinate = Coordinate(latitude: latitude, longitude: longitude)
        }
        return row
    }

    private func text(_ column: Column) -> String? {
        guard let position = positions[column.rawValue], position < fields.count, !fields[position].isEmpty else {
            return nil
        }
        return fields[position]
    }

    private func number(_ column: Column, in range: ClosedRange<Double>? = nil) throws(Fault) -> Double? {
        guard let text = text(column) else { return nil }
        guard let number = Double(text), number.isFinite else {
            throw Fault(reason: "\(column.name) is not a number.")
        }
        if let range, !range.contains(number) { throw Fault(reason: "\(column.name) is out of range.") }
        return number
    }

    /// Splits a line into `fields`.
    private mutating func split(_ line: ByteSlice) throws(Fault) {
        fields.removeAll(keepingCapacity: true)
        var cursor = 0
        while true {
            let isQuoted = cursor < line.count && line[cursor] == UInt8(ascii: "\"")
            fields.append(isQuoted ? try quoted(line, &cursor) : plain(line, &cursor))
            guard cursor < line.count else { return }
            guard line[cursor] == UInt8(ascii: ",") else { throw Fault(reason: "Something follows a closing quote.") }
            cursor += 1
        }
    }

    private func plain(_ line: ByteSlice, _ cursor: inout Int) -> String {
        let start = cursor
        while cursor < line.count, line[cursor] != UInt8(ascii: ",") { cursor += 1 }
        return String(decoding: line.buffer[start..<cursor], as: UTF8.self)
    }

    private func quoted(_ line: ByteSlice, _ cursor: inout Int) throws(Fault) -> String {
        var bytes: [UInt8] = []
        cursor += 1
        while cursor < line.count {
            if line[cursor] == UInt8(ascii: "\"") {
                cursor += 1
                guard cursor < line.count, line[cursor] == UInt8(ascii: "\"") else {
                    return String(decoding: bytes, as: UTF8.self)
                }
            }
            bytes.append(line[cursor])
            cursor += 1
        }
        throw Fault(reason: "A quote is not closed.")
    }
}
