import Foundation
import Testing

@testable import Recordings
@testable import Support

struct GTFSFeedTests {
    private static let tables = [
        "agency.txt": "\u{feff}agency_id,agency_name,agency_timezone\r\n1,\"Town, City\",America/New_York\r\n",
        "trips.txt": "route_id,service_id,trip_id,shape_id\nR1,1,T1,S1\nR1,1,T2,S1\n",
        "stop_times.txt": """
        trip_id,arrival_time,departure_time,stop_id,stop_sequence
        T1,25:00:30,25:01:00,B,7
        T1,24:50:00,24:50:00,A,2
        T1,,,C,9
        T2,08:00:00,08:00:00,A,1

        """,
        "stops.txt": """
        stop_id,stop_name,stop_lat,stop_lon
        A,"First, Street",38.9,-77.0
        B,B,38.91,-77.0
        C,nowhere,138.91,-77.0

        """,
        "shapes.txt": """
        shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
        S1,38.91,-77.0,20
        S1,38.9,-77.0,3
        S2,1,1,1

        """,
    ]

    private static func temporary(_ name: String) -> URL {
        FileManager.default.temporaryDirectory.appending(path: "feed-\(UUID().uuidString)-\(name)")
    }

    private static func check(_ feed: GTFSFeed) throws {
        let trip = try #require(feed.trips["T1"])
        #expect(feed.trips.count == 1 && trip.routeID == "R1" && trip.shapeID == "S1")
        #expect(trip.stopTimes.map(\.sequence) == [2, 7, 9])
        #expect(trip.stopTimes.map(\.arrivalSeconds) == [89_400, 90_030, nil])
        #expect(trip.stopTimes[1].departureSeconds == 90_060)
        #expect(Set(feed.stops.keys) == ["A", "B"])
        #expect(feed.shapes["S1"]?.map(\.latitude) == [38.9, 38.91])
        #expect(feed.shapes["S2"] == nil)
        #expect(feed.timeZone.identifier == "America/New_York")
    }

    @Test("a feed is read from a folder, limited to the requested trips")
    func folder() throws {
        let folder = Self.temporary("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in Self.tables { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try Self.check(GTFSFeed.read(path: folder.path, tripIDs: ["T1", "unknown"]))
    }

    @Test("a feed is read from a zip archive, at its top or in a folder", arguments: ["", "feed/"])
    func zip(prefix: String) throws {
        var archive = ZipArchive()
        for (name, text) in Self.tables.sorted(by: { $0.key < $1.key }) { archive.add(prefix + name, text) }
        let file = Self.temporary("archive.zip")
        try archive.data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try Self.check(GTFSFeed.read(path: file.path, tripIDs: ["T1"]))
    }

    private static func feed(_ changes: [String: String]) throws -> GTFSFeed {
        let folder = temporary("changed")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in tables.merging(changes, uniquingKeysWith: { $1 }) {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        return try GTFSFeed.read(path: folder.path, tripIDs: ["T1"])
    }

    @Test("blanks after commas, lines ended by carriage returns, and line breaks in quoted cells are accepted")
    func formats() throws {
        try Self.check(Self.feed(Self.tables.mapValues { $0.replacing(",", with: ", ") }))
        try Self.check(
            Self.feed(Self.tables.mapValues { $0.replacing("\r\n", with: "\n").replacing("\n", with: "\r") }))
        try Self.check(Self.feed(Self.tables.mapValues { $0.replacing("First, Street", with: "First\nStreet") }))
    }

    @Test("an unknown time zone is an error, and a missing time zone is reported")
    func zones() throws {
        let error = #expect(throws: InputError.self) {
            try Self.feed(["agency.txt": "agency_id,agency_timezone\n1,Amerika/New_York\n"])
        }
        #expect(error?.description.contains("'Amerika/New_York'") == true)
        #expect(try Self.feed(["agency.txt": "agency_id\n1\n"]).notes.count == 1)
        #expect(try Self.feed([:]).notes.isEmpty)
    }

    @Test("frequencies are read with their trips, and frequencies without a headway are ignored")
    func frequencies() throws {
        let text = "trip_id,start_time,end_time,headway_secs,exact_times\nT1,06:00:00,22:00:00,900,1\n"
        let feed = try Self.feed(["frequencies.txt": text + "T1,22:00:00,24:00:00,0,\nT2,06:00:00,22:00:00,900,0\n"])
        #expect(
            feed.trips["T1"]?.frequencies == [
                .init(startSeconds: 21_600, endSeconds: 79_200, headwaySeconds: 900, isExact: true)
            ])
    }

    @Test("an invalid date has no service day", arguments: ["20261301", "20260230", "20260000", "2026-1-1", "x"])
    func wrongDates(date: String) throws {
        #expect(try Self.feed([:]).dayStart(date) == nil)
    }

    @Test("the days around a time are complete, even if the clocks change", arguments: ["20260308", "20261101"])
    func daysAround(date: String) throws {
        let feed = try Self.feed([:])
        let start = try #require(feed.dayStart(date))
        for hour in -30...30 {
            let moment = start.advanced(bySeconds: Double(hour) * 3600)
            let days = feed.dayStarts(around: moment)
            let own = try #require(feed.dayStart(feed.date(of: moment)))
            let index = try #require(days.firstIndex(of: own))
            #expect(index > 0 && index < days.count - 1, "\(hour) h after the day's start")
            #expect(Swift.zip(days, days.dropFirst()).allSatisfy { $1.seconds(since: $0) <= 25 * 3600 })
        }
    }

    @Test("a missing table has no rows, and an invalid archive is an error")
    func missing() throws {
        var archive = ZipArchive()
        archive.add("trips.txt", "route_id,trip_id\nR1,T1\n")
        let file = Self.temporary("small.zip")
        try archive.data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let feed = try GTFSFeed.read(path: file.path, tripIDs: ["T1"])
        #expect(feed.trips["T1"]?.stopTimes.isEmpty == true && feed.shapes.isEmpty)

        let broken = Self.temporary("broken.zip")
        try Data("no archive".utf8).write(to: broken)
        defer { try? FileManager.default.removeItem(at: broken) }
        #expect(throws: InputError.self) { try GTFSFeed.read(path: broken.path, tripIDs: ["T1"]) }
        #expect(throws: InputError.self) { try GTFSFeed.read(path: "/nowhere/at/all", tripIDs: ["T1"]) }
    }

    @Test(
        "a service day starts at noon minus twelve hours, also when clocks change",
        arguments: [
            // 2026-02-16 00:00 EST, 2026-03-07 23:00 EST (an hour early), 2026-11-01 01:00 EDT (an hour late).
            ("20260216", Int64(1_771_218_000_000)), ("20260308", 1_772_942_400_000), ("20261101", 1_793_509_200_000),
        ])
    func days(date: String, milliseconds: Int64) throws {
        let folder = Self.temporary("zone")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data((Self.tables["agency.txt"] ?? "").utf8).write(to: folder.appending(path: "agency.txt"))
        let feed = try GTFSFeed.read(path: folder.path, tripIDs: [])
        #expect(feed.dayStart(date) == Timestamp(milliseconds: milliseconds))
        #expect(feed.date(of: Timestamp(milliseconds: milliseconds + 43_200_000)) == date)
        #expect(feed.dayStart("today") == nil)
    }

    @Test(
        "times of day may be past midnight, and invalid times are not read",
        arguments: [
            ("08:00:00", 28_800), ("7:05:09", 25_509), (" 7:05:09", 25_509), ("27:59:59", 100_799), ("08:60:00", nil),
            ("08:00", nil), ("", nil), ("-1:00:00", nil),
        ])
    func times(text: String, seconds: Int?) { #expect(GTFSFeed.seconds(text) == seconds) }
}
