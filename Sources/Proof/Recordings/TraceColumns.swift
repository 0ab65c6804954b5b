import Tracking

/// The columns of a file of recorded positions: CSV with a header line, in any order, more than these allowed.
///
/// `trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,speed_mps,heading_deg,altitude_m`, and where there is
/// a reference `true_latitude,true_longitude`; `spoofed` is 1 where a recorded attack forges positions. Logs of
/// vehicles have `vehicle_id` in place of `trace_id`, and `trip_id,route_id,start_date` where the vehicle tells which
/// scheduled run it is on. Names that other collectors use for the same are read too. An empty cell means that the
/// source has nothing.
package struct TraceColumns {
    private enum Column: CaseIterable {
        case traceID, driverID, milliseconds, seconds, latitude, longitude, accuracy, speed, heading, altitude
        case trueLatitude, trueLongitude, isSpoofed, tripID, routeID, startDate

        /// What it may be called; the first is our own name.
        var names: [String] {
            switch self {
            case .traceID: ["trace_id", "vehicle_id", "vehicle", "id"]
            case .driverID: ["driver_id"]
            case .milliseconds: ["timestamp_ms"]
            case .seconds: ["timestamp_s", "timestamp"]
            case .latitude: ["latitude", "lat"]
            case .longitude: ["longitude", "lon", "lng"]
            case .accuracy: ["accuracy_m", "accuracy"]
            case .speed: ["speed_mps", "speed"]
            case .heading: ["heading_deg", "heading", "bearing_deg", "bearing"]
            case .altitude: ["altitude_m", "altitude"]
            case .trueLatitude: ["true_latitude"]
            case .trueLongitude: ["true_longitude"]
            case .isSpoofed: ["spoofed"]
            case .tripID: ["trip_id"]
            case .routeID: ["route_id"]
            case .startDate: ["start_date"]
            }
        }
    }

    private var places: [Column: Int] = [:]

    /// - Throws: ``InputError`` naming the columns that are missing.
    package init(header: String, of path: String = "The header") throws {
        let names = CSVLine.names(header)
        for column in Column.allCases {
            places[column] = column.names.lazy.compactMap { names.firstIndex(of: $0) }.first
        }
        var missing: [String] = []
        if places[.traceID] == nil { missing.append("trace_id") }
        if places[.milliseconds] == nil, places[.seconds] == nil { missing.append("timestamp_ms") }
        if places[.latitude] == nil { missing.append("latitude") }
        if places[.longitude] == nil { missing.append("longitude") }
        guard missing.isEmpty else {
            throw InputError("\(path) has no column \(missing.joined(separator: ", ")); is this a file of positions?")
        }
    }

    /// Whether the file has a reference beside the fixes.
    package var hasTruth: Bool { places[.trueLatitude] != nil && places[.trueLongitude] != nil }

    /// Reads a row; `nil` when it has no trace, time or position that can be read.
    package func row(_ line: String) -> TraceRow? {
        let cells = CSVLine.cells(line)
        func text(_ column: Column) -> String? {
            guard let place = places[column], place < cells.count, !cells[place].isEmpty else { return nil }
            return cells[place]
        }
        func number(_ column: Column) -> Double? {
            text(column).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }
        func coordinate(_ latitude: Column, _ longitude: Column) -> Coordinate? {
            guard let latitude = number(latitude), let longitude = number(longitude) else { return nil }
            return Coordinate(latitude: latitude, longitude: longitude)
        }
        // Seconds since 1970 in this millennium; larger numbers are milliseconds under another name.
        let seconds = number(.seconds).flatMap { abs($0) < 1e11 ? Int64(($0 * 1000).rounded()) : nil }
        guard let traceID = text(.traceID), let at = text(.milliseconds).flatMap(Int64.init) ?? seconds,
            let place = coordinate(.latitude, .longitude)
        else { return nil }
        var row = TraceRow(
            traceID: traceID, driverID: text(.driverID) ?? traceID, at: Timestamp(milliseconds: at), coordinate: place)
        guard row.at.isReadable else { return nil }
        row.accuracyMeters = number(.accuracy)
        row.speedMetersPerSecond = number(.speed)
        row.headingDegrees = number(.heading)
        row.altitudeMeters = number(.altitude)
        row.trueCoordinate = coordinate(.trueLatitude, .trueLongitude)
        row.isSpoofed = number(.isSpoofed) == 1
        row.run = VehicleLog.Label(tripID: text(.tripID), routeID: text(.routeID), startDate: text(.startDate))
        return row
    }
}
