import Domain
import Foundation
import Support

/// Trips, stops and shapes of a GTFS static feed.
package struct GTFSFeed: Sendable {
    /// A scheduled call at a stop.
    package struct StopTime: Sendable, Equatable {
        package var stopID: String
        package var sequence: Int
        /// Seconds after the start of the service day, may exceed 86,400; `nil` between timepoints.
        package var arrivalSeconds: Int?
        package var departureSeconds: Int?
    }

    /// A period in which a trip runs repeatedly (frequencies.txt).
    package struct Frequency: Sendable, Equatable {
        /// First run, and end of the period, in seconds after the start of the service day.
        package var startSeconds: Int
        package var endSeconds: Int
        package var headwaySeconds: Int
        /// Whether the runs begin at exact times; if not, only the headway is planned.
        package var isExact: Bool
    }

    package struct Trip: Sendable, Equatable {
        package var id: String
        package var routeID: String
        package var shapeID: String?
        /// Scheduled calls, in order of their sequence.
        package var stopTimes: [StopTime] = []
        /// Periods of repeated runs; if there are any, the times of the stops are relative to the start of each run.
        package var frequencies: [Frequency] = []
    }

    package private(set) var trips: [String: Trip] = [:]
    package private(set) var stops: [String: Coordinate] = [:]
    package private(set) var shapes: [String: [Coordinate]] = [:]
    /// The agency's time zone, which the feed's times use.
    package private(set) var timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    /// Assumptions about the feed, one sentence each.
    package private(set) var notes: [String] = []

    /// Reads the data of the trips `tripIDs` from a folder of `.txt` files or a zip archive of them.
    ///
    /// - Throws: ``InputError``.
    package static func read(path: String, tripIDs: Set<String>) throws -> GTFSFeed {
        var feed = GTFSFeed()
        try feed.readTimeZone(path)
        try feed.readTrips(path, tripIDs)
        guard !feed.trips.isEmpty else { return feed }
        try feed.readStopTimes(path)
        try feed.readFrequencies(path)
        try feed.readStops(path)
        try feed.readShapes(path)
        return feed
    }

    private mutating func readTimeZone(_ path: String) throws {
        guard let zone = try Self.table("agency.txt", path)?.next()?["agency_timezone"] else {
            notes.append("\(path): agency.txt has no agency_timezone; times of the feed are read as UTC.")
            return
        }
        guard let agencyZone = TimeZone(identifier: zone) else {
            throw InputError(
                "\(path): agency_timezone '\(zone)' in agency.txt is not a time zone; expected a name such as "
                    + "Europe/Berlin.")
        }
        timeZone = agencyZone
    }

    private mutating func readFrequencies(_ path: String) throws {
        try Self.forEachRow("frequencies.txt", path) { row in
            guard let id = row["trip_id"], trips[id] != nil, let start = row["start_time"].flatMap(Self.seconds),
                let end = row["end_time"].flatMap(Self.seconds), let headway: Int = row.number("headway_secs"),
                start < end, headway > 0
            else { return }
            trips[id]?.frequencies.append(
                Frequency(
                    startSeconds: start, endSeconds: end, headwaySeconds: headway, isExact: row["exact_times"] == "1"))
        }
    }

    private mutating func readTrips(_ path: String, _ tripIDs: Set<String>) throws {
        try Self.forEachRow("trips.txt", path) { row in
            guard let id = row["trip_id"], tripIDs.contains(id) else { return }
            trips[id] = Trip(id: id, routeID: row["route_id"] ?? "", shapeID: row["shape_id"])
        }
    }

    private mutating func readStopTimes(_ path: String) throws {
        try Self.forEachRow("stop_times.txt", path) { row in
            guard let id = row["trip_id"], trips[id] != nil, let stop = row["stop_id"],
                let sequence: Int = row.number("stop_sequence")
            else { return }
            trips[id]?.stopTimes.append(
                StopTime(
                    stopID: stop, sequence: sequence, arrivalSeconds: row["arrival_time"].flatMap(Self.seconds),
                    departureSeconds: row["departure_time"].flatMap(Self.seconds)))
        }
        for id in trips.keys { trips[id]?.stopTimes.sort { $0.sequence < $1.sequence } }
    }

    private mutating func readStops(_ path: String) throws {
        try Self.forEachRow("stops.txt", path) { row in
            if let id = row["stop_id"], let point = Self.coordinate(row, "stop_lat", "stop_lon") { stops[id] = point }
        }
    }

    private mutating func readShapes(_ path: String) throws {
        let shapeIDs = Set(trips.values.compactMap(\.shapeID))
        var points: [String: [(sequence: Int, position: Coordinate)]] = [:]
        try Self.forEachRow("shapes.txt", path) { row in
            guard let id = row["shape_id"], shapeIDs.contains(id), let sequence: Int = row.number("shape_pt_sequence"),
                let position = Self.coordinate(row, "shape_pt_lat", "shape_pt_lon")
            else { return }
            points[id, default: []].append((sequence, position))
        }
        shapes = points.mapValues { $0.sorted { $0.sequence < $1.sequence }.map(\.position) }
    }

    /// Opens a table of a feed in a folder or zip archive; `nil` if it is missing from a folder.
    private static func table(_ name: String, _ path: String) throws -> CSVTable? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw InputError("\(path) does not exist.")
        }
        guard isFolder.boolValue else { return try CSVTable(LineReader(member: name, ofZip: path)) }
        let file = "\(path)/\(name)"
        return FileManager.default.fileExists(atPath: file) ? try CSVTable(LineReader(path: file)) : nil
    }

    private static func forEachRow(_ name: String, _ path: String, _ body: (CSVTable.Row) -> Void) throws {
        guard let table = try table(name, path) else { return }
        while let row = try table.next() { body(row) }
    }

    /// Returns the position in two columns; `nil` if it is invalid.
    private static func coordinate(_ row: CSVTable.Row, _ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude: Double = row.number(latitude), let longitude: Double = row.number(longitude),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Parses `H:MM:SS` into seconds; `nil` if malformed.
    ///
    /// Hours may exceed 24.
    static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: ":").map { Int($0.drop { $0 == " " }) }
        guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2],
            (0..<1000).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds)
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }
}

// MARK: - Service days

extension GTFSFeed {
    /// Returns the start of the service day `date` (`YYYYMMDD`); `nil` if it is not a date.
    ///
    /// The start is noon minus twelve hours, which differs from midnight on days of clock changes (GTFS reference).
    package func dayStart(_ date: String) -> Timestamp? {
        guard date.utf8.count == 8, let number = Int(date) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let noon = DateComponents(year: number / 10000, month: number / 100 % 100, day: number % 100, hour: 12)
        guard let moment = calendar.date(from: noon) else { return nil }
        // The calendar accepts month 13 as January of the next year.
        let actual = calendar.dateComponents([.year, .month, .day], from: moment)
        guard (actual.year, actual.month, actual.day) == (noon.year, noon.month, noon.day) else { return nil }
        return Timestamp(milliseconds: Int64(moment.timeIntervalSince1970) * 1000 - 43_200_000)
    }

    /// Returns the starts of the service days that overlap the 36 hours before and after a time.
    package func dayStarts(around time: Timestamp) -> [Timestamp] {
        // Steps of half a day find every day, even a day of 23 hours.
        let dates = Set((-3...3).map { date(of: time.advanced(bySeconds: Double($0) * 43_200)) })
        return dates.sorted().compactMap(dayStart)
    }

    /// Returns the local date of `time` as `YYYYMMDD`.
    package func date(of time: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let moment = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents([.year, .month, .day], from: moment)
        let number = (parts.year ?? 0) * 10000 + (parts.month ?? 0) * 100 + (parts.day ?? 0)
        return String(number)
    }
}
