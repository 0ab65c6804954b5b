import Foundation
import Testing

@testable import Evaluation
@testable import Recordings
@testable import Support

/// Trips of a line with five stops, 1 km and 100 s apart, from 8:00:00 in Berlin on 2026-06-01.
struct ScheduledTripsTests {
    private static let begin = 1_780_293_600.0

    private static func feed(beginsAt start: Int = 8 * 3600, frequencies: String? = nil) throws -> GTFSFeed {
        let folder = FileManager.default.temporaryDirectory.appending(path: "line-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var stops = "stop_id,stop_lat,stop_lon\n"
        var times = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
        var shape = "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\n"
        for index in 0..<5 {
            let place = HandMadeLog.place(100 + 1000 * Double(index))
            stops += "s\(index),\(place.latitude),\(place.longitude)\n"
            let second = start + 100 * index
            let time = String(format: "%02d:%02d:%02d", second / 3600, second / 60 % 60, second % 60)
            times += "run,\(time),\(time),s\(index),\(index + 1)\n"
            shape += "line,\(place.latitude),\(place.longitude),\(index + 1)\n"
        }
        var tables = [
            "agency.txt": "agency_id,agency_timezone\n1,Europe/Berlin\n",
            "trips.txt": "route_id,service_id,trip_id,shape_id\n1,1,run,line\n", "stops.txt": stops,
            "stop_times.txt": times, "shapes.txt": shape,
        ]
        if let frequencies {
            tables["frequencies.txt"] = "trip_id,start_time,end_time,headway_secs,exact_times\n\(frequencies)\n"
        }
        for (name, text) in tables { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return try GTFSFeed.read(path: folder.path, tripIDs: ["run"])
    }

    private static func log(lateSeconds: Double, interval: Double = 10) -> VehicleLog {
        // At 10 m/s, the first stop is reached ten seconds after the start.
        var drive = HandMadeLog(id: "bus", tripID: "run", routeID: "1", startSecond: begin + lateSeconds - 10)
        drive.intervalSeconds = interval
        drive.drive(seconds: 440)
        var log = VehicleLog()
        log.vehicles = [drive.vehicle]
        return log
    }

    @Test("A run that is on time or two minutes late passes each stop with this delay", arguments: [0.0, 120.0])
    func passages(lateSeconds: Double) throws {
        let trip = try #require(
            try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: lateSeconds)).first)
        let journey = try #require(trip.journeys.first)
        #expect(journey.message.kind == .transit && journey.message.stops.count == 5)
        #expect(journey.message.stops.allSatisfy { $0.scheduledAt != nil })
        // The first stop, where a run waits for its departure time, is not a target.
        #expect(journey.targets.map(\.stop) == [1, 2, 3, 4])
        for target in journey.targets.dropLast() {
            let late = target.arrivedAt.seconds(since: try #require(target.plannedAt))
            #expect(abs(late - lateSeconds) < 1, "\(target.stop): \(late)")
        }
        // The last stop is passed 30 m before the end of the line.
        let end = try #require(journey.targets.last)
        #expect(abs(end.arrivedAt.seconds(since: try #require(end.plannedAt)) - lateSeconds + 3) < 1)
    }

    @Test("A run has departed when it is 50 m past its first stop", arguments: [0.0, 120.0])
    func departure(lateSeconds: Double) throws {
        let trip = try #require(
            try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: lateSeconds)).first)
        let departedAt = try #require(trip.journeys.first?.departedAt)
        #expect(abs(departedAt.seconds(since: Timestamp(milliseconds: Int64(Self.begin * 1000))) - lateSeconds - 5) < 1)
    }

    @Test("The service day is determined if the vehicle does not report it")
    func day() throws {
        let trip = try #require(try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: 0)).first)
        let first = try #require(trip.journeys.first?.message.stops.first?.scheduledAt)
        #expect(first == Timestamp(milliseconds: Int64(Self.begin * 1000)))
    }

    private static func log(_ drives: HandMadeLog...) -> VehicleLog {
        var log = VehicleLog()
        log.vehicles = drives.map(\.vehicle)
        return log
    }

    @Test(
        "Without a date the nearest service day is used, also before midnight, after 48 h, and at clock changes",
        arguments: [
            ("20260602", 180, 540.0), ("20260602", 180, 0), ("20260601", 58 * 3600, 0), ("20260328", 87_600, 0),
            ("20260329", 87_600, 0), ("20261024", 87_600, 0), ("20261025", 87_600, 0), ("20261025", 23 * 3600, 300),
        ])
    func nearestDay(date: String, begins: Int, waits: Double) throws {
        let feed = try Self.feed(beginsAt: begins)
        let start = try #require(feed.dayStart(date)).advanced(bySeconds: Double(begins))
        var drive = HandMadeLog(
            id: "bus", tripID: "run", routeID: "1", startSecond: Double(start.milliseconds) / 1000 - 10 - waits)
        drive.intervalSeconds = 10
        drive.halt(seconds: waits)
        drive.drive(seconds: 440)
        let trip = try #require(ScheduledTrips(feed: feed).trips(of: Self.log(drive)).first)
        #expect(trip.journeys.first?.message.stops.first?.scheduledAt == start)
    }

    @Test(
        "A frequency-based run is planned from its departure, or from the nearest start if starts are exact",
        arguments: [(0, 0, 0.0), (6 * 3600, 0, 0), (0, 1, 72), (6 * 3600, 1, 72)])
    func frequency(begins: Int, exact: Int, late: Double) throws {
        let feed = try Self.feed(beginsAt: begins, frequencies: "run,06:00:00,22:00:00,600,\(exact)")
        // The vehicle reaches the first stop 72 s after an exact start.
        var drive = HandMadeLog(id: "bus", tripID: "run", routeID: "1", startSecond: Self.begin + 72 - 10)
        drive.intervalSeconds = 10
        drive.drive(seconds: 440)
        let trip = try #require(ScheduledTrips(feed: feed).trips(of: Self.log(drive)).first)
        for target in try #require(trip.journeys.first).targets.dropLast() {
            #expect(abs(target.arrivedAt.seconds(since: try #require(target.plannedAt)) - late) < 5)
        }
    }

    @Test("Two consecutive frequency-based runs are two trips")
    func twoRuns() throws {
        let feed = try Self.feed(beginsAt: 0, frequencies: "run,06:00:00,22:00:00,600,0")
        var drive = HandMadeLog(id: "bus", tripID: "run", routeID: "1", startSecond: Self.begin)
        let there = Array(stride(from: 100.0, through: 4100, by: 100))
        for meters in there + there.reversed() + [100, 100, 100] + there {
            drive.add(HandMadeLog.place(meters), after: 10)
        }
        let trips = ScheduledTrips(feed: feed).trips(of: Self.log(drive))
        #expect(trips.map(\.id) == ["run", "run#2"])
        for trip in trips {
            let journey = try #require(trip.journeys.first)
            #expect(journey.message.tripID == trip.id && journey.targets.count == 4)
            for target in journey.targets.dropLast() {
                #expect(abs(target.arrivedAt.seconds(since: try #require(target.plannedAt))) < 15)
            }
        }
    }

    @Test("A stop between fixes more than two minutes apart has no passage")
    func gaps() throws {
        let trips = try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: 0, interval: 130))
        #expect(trips.isEmpty)
    }
}
