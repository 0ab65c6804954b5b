import Tracking

/// The columns of a file of recorded traces: CSV with a header line, in any order, more than these allowed.
///
/// `trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,speed_mps,heading_deg,altitude_m`, and where there is a
/// reference `true_latitude,true_longitude`; `spoofed` is 1 where a recorded attack forges positions. An empty cell means that the source has nothing.
package struct TraceColumns {
    private enum Column: String, CaseIterable {
        case traceID = "trace_id"
        case driverID = "driver_id"
        case timestamp = "timestamp_ms"
        case latitude, longitude
        case accuracy = "accuracy_m"
        case speed = "speed_mps"
        case heading = "heading_deg"
        case altitude = "altitude_m"
        case trueLatitude = "true_latitude"
        case trueLongitude = "true_longitude"
        case isSpoofed = "spoofed"
    }

    private var places: [Column: Int] = [:]

    /// - Throws: ``InputError`` naming the columns that are missing.
    package init(header: String) throws {
        let names = Self.cells(header.hasPrefix("\u{feff}") ? String(header.dropFirst()) : header)
        for (place, name) in names.enumerated() {
            if let column = Column(rawValue: name) { places[column] = place }
        }
        let required: [Column] = [.traceID, .timestamp, .latitude, .longitude]
        let missing = required.filter { places[$0] == nil }.map(\.rawValue)
        guard missing.isEmpty else {
            throw InputError("The header has no column \(missing.joined(separator: ", ")); is this a file of traces?")
        }
    }

    /// Whether the file has a reference beside the fixes.
    package var hasTruth: Bool { places[.trueLatitude] != nil && places[.trueLongitude] != nil }

    /// Reads a row; `nil` when it has no trace, time or position that can be read.
    package func row(_ line: String) -> TraceRow? {
        let cells = Self.cells(line)
        func text(_ column: Column) -> String? {
            guard let place = places[column], place < cells.count, !cells[place].isEmpty else { return nil }
            return cells[place]
        }
        func number(_ column: Column) -> Double? {
            text(column).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }
        guard let traceID = text(.traceID), let milliseconds = text(.timestamp).flatMap(Int64.init),
            let latitude = number(.latitude), let longitude = number(.longitude)
        else { return nil }
        var row = TraceRow(
            traceID: traceID, driverID: text(.driverID) ?? traceID, at: Timestamp(milliseconds: milliseconds),
            coordinate: Coordinate(latitude: latitude, longitude: longitude))
        row.accuracyMeters = number(.accuracy)
        row.speedMetersPerSecond = number(.speed)
        row.headingDegrees = number(.heading)
        row.altitudeMeters = number(.altitude)
        if let trueLatitude = number(.trueLatitude), let trueLongitude = number(.trueLongitude) {
            row.trueCoordinate = Coordinate(latitude: trueLatitude, longitude: trueLongitude)
        }
        row.isSpoofed = number(.isSpoofed) == 1
        return row
    }

    /// The cells of a line; one in double quotes may hold commas, and quotes written twice (RFC 4180).
    package static func cells(_ line: String) -> [String] {
        guard line.utf8.contains(UInt8(ascii: "\"")) else {
            return line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        var cells: [[UInt8]] = [[]]
        var isQuoted = false
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: "\""):
                // The second quote of a doubled pair reopens the cell and stands for itself.
                if !isQuoted, !cells[cells.count - 1].isEmpty { cells[cells.count - 1].append(byte) }
                isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: cells.append([])
            default: cells[cells.count - 1].append(byte)
            }
        }
        return cells.map { String(decoding: $0, as: UTF8.self) }
    }
}
