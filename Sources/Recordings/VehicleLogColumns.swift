import Tracking

/// The columns of a log of vehicles: a file of traces, or of positions with the trips they belong to.
///
/// Beside those of ``TraceColumns``: `vehicle_id` in place of `trace_id`, and `trip_id,route_id,start_date` where the
/// vehicle tells which scheduled run it is on. Names that other collectors use for the same are read too.
struct VehicleLogColumns {
    private enum Column: CaseIterable {
        case traceID, driverID, milliseconds, seconds, latitude, longitude, accuracy, speed, heading, altitude
        case trueLatitude, trueLongitude, isSpoofed, tripID, routeID, startDate

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

    /// - Throws: ``InputError`` naming what is missing.
    init(header: String, of path: String) throws {
        let names = TraceColumns.cells(header.hasPrefix("\u{feff}") ? String(header.dropFirst()) : header)
        for column in Column.allCases {
            places[column] = column.names.lazy.compactMap { names.firstIndex(of: $0) }.first
        }
        var missing: [String] = []
        if places[.traceID] == nil { missing.append("trace_id or vehicle_id") }
        if places[.milliseconds] == nil, places[.seconds] == nil { missing.append("timestamp_ms") }
        if places[.latitude] == nil { missing.append("latitude") }
        if places[.longitude] == nil { missing.append("longitude") }
        guard missing.isEmpty else {
            throw InputError("\(path) has no column \(missing.joined(separator: ", ")); is it a log of vehicles?")
        }
    }

    /// Reads a row; `nil` when it has no vehicle, time or position that can be read.
    func row(_ line: String) -> (row: TraceRow, label: VehicleLog.Label)? {
        let cells = TraceColumns.cells(line)
        func text(_ column: Column) -> String? {
            guard let place = places[column], place < cells.count, !cells[place].isEmpty else { return nil }
            return cells[place]
        }
        func number(_ column: Column) -> Double? {
            text(column).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }
        let seconds = number(.seconds).flatMap { abs($0) < 1e11 ? Int64(($0 * 1000).rounded()) : nil }
        guard let traceID = text(.traceID), let at = text(.milliseconds).flatMap(Int64.init) ?? seconds,
            let latitude = number(.latitude), let longitude = number(.longitude)
        else { return nil }
        var row = TraceRow(
            traceID: traceID, driverID: text(.driverID) ?? traceID, at: Timestamp(milliseconds: at),
            coordinate: Coordinate(latitude: latitude, longitude: longitude))
        row.accuracyMeters = number(.accuracy)
        row.speedMetersPerSecond = number(.speed)
        row.headingDegrees = number(.heading)
        row.altitudeMeters = number(.altitude)
        if let trueLatitude = number(.trueLatitude), let trueLongitude = number(.trueLongitude) {
            row.trueCoordinate = Coordinate(latitude: trueLatitude, longitude: trueLongitude)
        }
        row.isSpoofed = number(.isSpoofed) == 1
        return (row, VehicleLog.Label(tripID: text(.tripID), routeID: text(.routeID), startDate: text(.startDate)))
    }
}
