import Foundation
import Model
import Support

/// The part of a GTFS static feed that says where and when trips run.
package struct GTFSFeed: Sendable {
    /// A scheduled call at a stop, by rising sequence.
    package struct StopTime: Sendable, Equatable {
        package var stopID: String
        package var sequence: Int
        /// Seconds after the start of the day of service, over 86,400 after midnight; `nil` between timepoints.
        package var arrivalSeconds: Int?
        package var departureSeconds: Int?
    }

    /// A period in which a trip runs again and again (frequencies.txt).
    package struct Frequency: Sendable, Equatable {
        /// Seconds after the start of the day of service: of the first run, and when the period ends.
        package var startSeconds: Int
        package var endSeconds: Int
        package var headwaySeconds: Int
        /// Whether the runs begin at exact times; otherwise only their distance is planned.
        package var isExact: Bool
    }

    /// A run.
    package struct Trip: Sendable, Equatable {
        package var id: String
        package var routeID: String
        package var shapeID: String?
        package var stopTimes: [StopTime] = []
        /// Not empty where the times of the stops are relative to the start of each run.
        package var frequencies: [Frequency] = []
    }

    package private(set) var trips: [String: Trip] = [:]
    package private(set) var stops: [String: Coordinate] = [:]
    package private(set) var shapes: [String: [Coordinate]] = [:]
    /// Of the agency: times of the feed are local.
    package private(set) var timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    /// What of the feed had to be assumed, one sentence each.
    package private(set) var notes: [String] = []

    /// Reads what the trips `tripIDs` need of a feed: a folder of `.txt` files, or a zip archive of them.
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
        guard let zone = try GTFSTable("agency.txt", ofFeed: path).next()?["agency_timezone"] else {
            notes.append("\(path): agency.txt has no agency_timezone; times of the feed are read as UTC.")
            return
        }
        guard let known = TimeZone(identifier: zone) else {
            throw InputError(
                "\(path): agency_timezone '\(zone)' in agency.txt is not a time zone; expected a name such as "
                    + "Europe/Berlin.")
        }
        timeZone = known
    }

    private mutating func readFrequencies(_ path: String) throws {
        let table = try GTFSTable("frequencies.txt", ofFeed: path)
        while let row = try table.next() {
            guard let id = row["trip_id"], trips[id] != nil, let start = row["start_time"].flatMap(Self.seconds),
                let end = row["end_time"].flatMap(Self.seconds), let headway = row["headway_secs"].flatMap(Int.init),
                start < end, headway > 0
            else { continue }
            trips[id]?.frequencies.append(
                Frequency(
                    startSeconds: start, endSeconds: end, headwaySeconds: headway, isExact: row["exact_times"] == "1"))
        }
    }

    private mutating func readTrips(_ path: String, _ tripIDs: Set<String>) throws {
        let table = try GTFSTable("trips.txt", ofFeed: path)
        while let row = try table.next() {
            guard let id = row["trip_id"], tripIDs.contains(id) else { continue }
            trips[id] = Trip(id: id, routeID: row["route_id"] ?? "", shapeID: row["shape_id"])
        }
    }

    private mutating func readStopTimes(_ path: String) throws {
        let table = try GTFSTable("stop_times.txt", ofFeed: path)
        while let row = try table.next() {
            guard let id = row["trip_id"], trips[id] != nil, let stop = row["stop_id"],
                let sequence = row["stop_sequence"].flatMap(Int.init)
            else { continue }
            trips[id]?.stopTimes.append(
                StopTime(
                    stopID: stop, sequence: sequence, arrivalSeconds: row["arrival_time"].flatMap(Self.seconds),
                    departureSeconds: row["departure_time"].flatMap(Self.seconds)))
        }
        for id in trips.keys { trips[id]?.stopTimes.sort { $0.sequence < $1.sequence } }
    }

    private mutating func readStops(_ path: String) throws {
        let table = try GTFSTable("stops.txt", ofFeed: path)
        while let row = try table.next() {
            if let id = row["stop_id"], let place = row.coordinate("stop_lat", "stop_lon") { stops[id] = place }
        }
    }

    private mutating func readShapes(_ path: String) throws {
        let wanted = Set(trips.values.compactMap(\.shapeID))
        var points: [String: [(sequence: Int, place: Coordinate)]] = [:]
        let table = try GTFSTable("shapes.txt", ofFeed: path)
        while let row = try table.next() {
            guard let id = row["shape_id"], wanted.contains(id),
                let sequence = row["shape_pt_sequence"].flatMap(Int.init),
                let place = row.coordinate("shape_pt_lat", "shape_pt_lon")
            else { continue }
            points[id, default: []].append((sequence, place))
        }
        shapes = points.mapValues { $0.sorted { $0.sequence < $1.sequence }.map(\.place) }
    }

    /// `H:MM:SS` as seconds; hours may be over 24.
    static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: ":").map { Int($0.drop { $0 == " " }) }
        guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2],
            (0..<1000).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds)
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }
}

// MARK: - Days of service

extension GTFSFeed {
    /// The moment that times of the day of service `date` (`YYYYMMDD`) count from; `nil` where that is no date.
    ///
    /// It is noon less twelve hours, which is not midnight on days when the clocks change (GTFS reference).
    package func dayStart(_ date: String) -> Timestamp? {
        guard date.utf8.count == 8, let number = Int(date) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let noon = DateComponents(year: number / 10000, month: number / 100 % 100, day: number % 100, hour: 12)
        guard let moment = calendar.date(from: noon) else { return nil }
        // A calendar rolls month 13 over into the next year.
        let read = calendar.dateComponents([.year, .month, .day], from: moment)
        guard (read.year, read.month, read.day) == (noon.year, noon.month, noon.day) else { return nil }
        return Timestamp(milliseconds: Int64(moment.timeIntervalSince1970) * 1000 - 43_200_000)
    }

    /// The starts of the days of service around a moment: the day before it, its own, and the day after it.
    package func dayStarts(around time: Timestamp) -> [Timestamp] {
        // In steps of half a day no day is left out where one has 23 hours.
        let dates = Set((-3...3).map { date(of: time.advanced(bySeconds: Double($0) * 43_200)) })
        return dates.sorted().compactMap(dayStart)
    }

    /// The local day on which `time` lies, as `YYYYMMDD`.
    package func date(of time: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let moment = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents([.year, .month, .day], from: moment)
        let number = (parts.year ?? 0) * 10000 + (parts.month ?? 0) * 100 + (parts.day ?? 0)
        return String(number)
    }
}
