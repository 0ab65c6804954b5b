import Foundation
import Recordings
import Testing
import Tracking

@testable import Evaluation

/// A line of five stops a kilometre apart, northwards, a stop every 100 s, from 8:00:00 in Berlin on 2026-06-01.
struct ScheduledTripsTests {
    private static let begin = 1_780_293_600.0

    private static func feed() throws -> GTFSFeed {
        let folder = FileManager.default.temporaryDirectory.appending(path: "line-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var stops = "stop_id,stop_lat,stop_lon\n"
        var times = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
        var shape = "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\n"
        for index in 0..<5 {
            let place = HandMadeLog.place(100 + 1000 * Double(index))
            stops += "s\(index),\(place.latitude),\(place.longitude)\n"
            let second = 100 * index
            let time = "08:\(String(format: "%02d:%02d", second / 60, second % 60))"
            times += "run,\(time),\(time),s\(index),\(index + 1)\n"
            shape += "line,\(place.latitude),\(place.longitude),\(index + 1)\n"
        }
        let tables = [
            "agency.txt": "agency_id,agency_timezone\n1,Europe/Berlin\n",
            "trips.txt": "route_id,service_id,trip_id,shape_id\n1,1,run,line\n", "stops.txt": stops,
            "stop_times.txt": times, "shapes.txt": shape,
        ]
        for (name, text) in tables { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return try GTFSFeed.read(path: folder.path, tripIDs: ["run"])
    }

    private static func log(lateSeconds: Double, interval: Double = 10) -> VehicleLog {
        // Ten metres a second, at the first stop ten seconds after the first fix.
        var drive = HandMadeLog(id: "bus", tripID: "run", routeID: "1", startSecond: begin + lateSeconds - 10)
        drive.intervalSeconds = interval
        drive.drive(seconds: 440)
        var log = VehicleLog()
        log.vehicles = [drive.vehicle]
        return log
    }

    @Test("A run that comes two minutes late passes its stops two minutes after their times", arguments: [0.0, 120.0])
    func passages(lateSeconds: Double) throws {
        let trip = try #require(
            try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: lateSeconds)).first)
        let journey = try #require(trip.journeys.first)
        #expect(journey.message.kind == .transit && journey.message.stops.count == 5)
        #expect(journey.message.stops.allSatisfy { $0.scheduledAt != nil })
        // Not the first, where a run waits for its time.
        #expect(journey.targets.map(\.stop) == [1, 2, 3, 4])
        for target in journey.targets.dropLast() {
            let late = target.arrivedAt.seconds(since: try #require(target.plannedAt))
            #expect(abs(late - lateSeconds) < 1, "\(target.stop): \(late)")
        }
        // The end of the line is reached thirty metres before it.
        let end = try #require(journey.targets.last)
        #expect(abs(end.arrivedAt.seconds(since: try #require(end.plannedAt)) - lateSeconds + 3) < 1)
    }

    @Test("A run has departed when it is fifty metres past its first stop", arguments: [0.0, 120.0])
    func departure(lateSeconds: Double) throws {
        let trip = try #require(
            try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: lateSeconds)).first)
        let departedAt = try #require(trip.journeys.first?.departedAt)
        #expect(abs(departedAt.seconds(since: Timestamp(milliseconds: Int64(Self.begin * 1000))) - lateSeconds - 5) < 1)
    }

    @Test("The day of service is found when the vehicle does not tell it")
    func day() throws {
        let trip = try #require(try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: 0)).first)
        let first = try #require(trip.journeys.first?.message.stops.first?.scheduledAt)
        #expect(first == Timestamp(milliseconds: Int64(Self.begin * 1000)))
    }

    @Test("A stop between fixes more than two minutes apart has no known passage")
    func gaps() throws {
        let trips = try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: 0, interval: 130))
        #expect(trips.isEmpty)
    }

    @Test("Derived passages agree with themselves, and what only one side knows is counted")
    func comparison() throws {
        let trips = try ScheduledTrips(feed: Self.feed()).trips(of: Self.log(lateSeconds: 60))
        let targets = try #require(trips.first?.journeys.first).targets
        var csv = "trip_id,stop_sequence,observed_passage_ms\nother,1,5\n"
        for target in targets.dropFirst() {
            csv += "run,\(target.stop + 1),\(target.arrivedAt.milliseconds + 2000)\n"
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "passages-\(UUID().uuidString).csv")
        try Data(csv.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let comparison = PassageComparison(of: trips, with: try ObservedPassages.read(paths: [file.path]))
        #expect(comparison.common == 3 && comparison.onlyHere == 1 && comparison.onlyThere == 1)
        #expect(comparison.medianSeconds == -2 && comparison.ninetyFifthSeconds == 2)
    }
}
