import Codec
import Domain
import Support

/// Columns of a CSV file of recorded positions, in any order.
///
/// `trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,speed_mps,heading_deg,altitude_m`; with ground truth
/// also `true_latitude,true_longitude`; `spoofed` is 1 for forged positions. Vehicle logs have `vehicle_id` instead of
/// `trace_id`, and `trip_id,route_id,start_date` for the scheduled run. Upper case and other usual names are accepted;
/// further columns are ignored. Time, latitude and longitude are required. The trace id defaults to the driver id or
/// the file's name, the driver id to the trace id. Times are ISO 8601 with a zone, or seconds or milliseconds since
/// 1970. Empty cells are unknown values.
package struct TraceColumns {
    private enum Column: CaseIterable {
        case traceID, driverID, milliseconds, seconds, latitude, longitude, accuracy, speed, heading, altitude
        case trueLatitude, trueLongitude, isSpoofed, tripID, routeID, startDate

        /// Accepted names; the first name is documented.
        var names: [String] {
            switch self {
            case .traceID: ["trace_id", "vehicle_id", "vehicle", "id"]
            case .driverID: ["driver_id", "driver"]
            case .milliseconds: ["timestamp_ms"]
            case .seconds: ["timestamp_s", "timestamp", "time", "datetime", "recorded_at"]
            case .latitude: ["latitude", "lat"]
            case .longitude: ["longitude", "lon", "lng"]
            case .accuracy: ["accuracy_m", "accuracy"]
            case .speed: ["speed_mps", "speed"]
            case .heading: ["heading_deg", "heading", "bearing_deg", "bearing", "course"]
            case .altitude: ["altitude_m", "altitude", "elevation", "ele"]
            case .trueLatitude: ["true_latitude"]
            case .trueLongitude: ["true_longitude"]
            case .isSpoofed: ["spoofed"]
            case .tripID: ["trip_id"]
            case .routeID: ["route_id"]
            case .startDate: ["start_date"]
            }
        }
    }

    /// Expected columns, for errors.
    package static let expectation =
        "CSV with columns timestamp_ms (or time), latitude, longitude, and if known "
        + "trace_id, driver_id, accuracy_m, speed_mps, heading_deg, altitude_m"

    private var indices: [Column: Int] = [:]
    /// Column names as spelled in the file.
    private let names: [String]
    /// Default trace id: the file's name as a driver id.
    private let fileName: String

    /// Reads a header; `alternatives` are other formats that the command accepts, for errors.
    /// - Throws: ``InputError`` with the missing columns.
    package init(header: String, of path: String = "The file", alternatives: String = "or GPX") throws {
        names = CSVLine.names(header)
        fileName = DriverIDFormat.id(forFile: path)
        let lowercased = names.map { $0.lowercased() }
        for column in Column.allCases {
            indices[column] = column.names.lazy.compactMap { lowercased.firstIndex(of: $0) }.first
        }
        var missing: [String] = []
        if indices[.milliseconds] == nil, indices[.seconds] == nil { missing.append("timestamp_ms") }
        if indices[.latitude] == nil { missing.append("latitude") }
        if indices[.longitude] == nil { missing.append("longitude") }
        guard missing.isEmpty else {
            let firstLine = FaultText.shortened(header, to: 200)
            throw InputError(
                "\(path): expected \(Self.expectation), \(alternatives). Its first line has no "
                    + "column \(missing.joined(separator: ", ")): \(firstLine)")
        }
    }

    /// Whether the file contains true positions.
    package var hasTruth: Bool { indices[.trueLatitude] != nil && indices[.trueLongitude] != nil }

    /// Parses a row.
    /// - Throws: ``RowFault`` if its time or position is missing or invalid.
    package func row(_ line: String) throws(RowFault) -> TraceRow {
        let cells = CSVLine.cells(line)
        func cell(_ column: Column) -> RowCell {
            let index = indices[column]
            return RowCell(
                column: index.map { $0 + 1 }, name: index.map { names[$0] } ?? column.names[0],
                text: index.flatMap { $0 < cells.count ? cells[$0] : nil } ?? "")
        }
        func text(_ column: Column) -> String? {
            let text = cell(column).text
            return text.isEmpty ? nil : text
        }
        let coordinate = Coordinate(
            latitude: try cell(.latitude).required(in: -90...90),
            longitude: try cell(.longitude).required(in: -180...180))
        let isMilliseconds = text(.milliseconds) != nil || indices[.seconds] == nil
        let at = try cell(isMilliseconds ? .milliseconds : .seconds).time(
            unit: isMilliseconds ? .milliseconds : .seconds)
        let traceID = text(.traceID) ?? text(.driverID) ?? fileName
        var row = TraceRow(traceID: traceID, driverID: text(.driverID) ?? traceID, at: at, coordinate: coordinate)
        func number(_ column: Column, in range: ClosedRange<Double>? = nil) -> Double? {
            do {
                return try cell(column).number(in: range)
            } catch {
                row.ignored.append(error)
                return nil
            }
        }
        row.accuracyMeters = number(.accuracy)
        row.speedMetersPerSecond = number(.speed)
        row.headingDegrees = number(.heading)
        row.altitudeMeters = number(.altitude)
        if let latitude = number(.trueLatitude, in: -90...90), let longitude = number(.trueLongitude, in: -180...180) {
            row.trueCoordinate = Coordinate(latitude: latitude, longitude: longitude)
        }
        row.isSpoofed = number(.isSpoofed) == 1
        row.run = VehicleLog.Label(tripID: text(.tripID), routeID: text(.routeID), startDate: text(.startDate))
        return row
    }
}
