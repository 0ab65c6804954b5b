import Foundation
import TestSupport
import Testing

@testable import Recordings
@testable import Support

@Suite("GPX files", .blocking)
struct GPXTracksTests {
    private func read(_ text: String, name: String = "own ride") throws -> VehicleLog {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gpx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "\(name).gpx")
        try Data(text.utf8).write(to: file)
        return try VehicleLog.read(path: file.path)
    }

    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE gpx [ <!ENTITY x "y"> ]>
        <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:t="http://garmin">

        """

    @Test("points are read with their elements and extensions")
    func points() throws {
        let log = try read(
            Self.head + """
                <metadata><name>not a driver</name><time>2020-01-01T00:00:00Z</time></metadata>
                <wpt lat="1" lon="2"><time>2020-01-01T00:00:00Z</time></wpt>
                <trk><name><![CDATA[Max & Co]]></name><trkseg>
                <trkpt lat="48.1" lon="11.5"><ele>520.5</ele><time>2026-03-14T18:32:15.25Z</time><hdop>1.2</hdop>
                <extensions><t:TrackPointExtension><t:speed>4.5</t:speed><t:course>361</t:course>
                </t:TrackPointExtension></extensions></trkpt>
                <!-- a comment with <trkpt> in it -->
                <trkpt lon='11.6' lat='48.2'><time>2026-03-14T18:32:16</time><speed>5</speed><course>90</course></trkpt>
                </trkseg><trkseg><trkpt lat="48.3" lon="11.7"><time>2026-03-14T18:40:00Z</time></trkpt></trkseg></trk></gpx>
                """)
        #expect(log.vehicles.map(\.trace.id) == ["Max-Co"] && log.vehicles.map(\.trace.driverID) == ["Max-Co"])
        let fixes = log.vehicles[0].trace.fixes
        #expect(fixes.map(\.coordinate.latitude) == [48.1, 48.2, 48.3])
        #expect(fixes.map { $0.deviceAt?.milliseconds } == [1_773_513_135_250, 1_773_513_136_000, 1_773_513_600_000])
        #expect(fixes.map(\.speedMetersPerSecond) == [4.5, 5, nil] && fixes.map(\.headingDegrees) == [nil, 90, nil])
        #expect(fixes.map(\.altitudeMeters) == [520.5, nil, nil] && fixes.map(\.accuracyMeters) == [6, nil, nil])
        #expect(log.tally.read == 3 && log.tally.leftOut == 0)
    }

    @Test("each track is a trace, and a track without a name gets the file's name")
    func tracks() throws {
        func track(_ name: String) -> String {
            "<trk>\(name)<trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-03-14T18:32:15Z</time></trkpt></trkseg></trk>"
        }
        let log = try read("<gpx>\(track(""))\(track("<name>a</name>"))\(track(""))\(track("<name>a</name>"))</gpx>")
        #expect(log.vehicles.map(\.trace.id) == ["own-ride", "a", "own-ride-2", "a-2"])
        #expect(log.vehicles.map(\.trace.driverID) == ["own-ride", "a", "own-ride", "a"])
    }

    @Test("time and elevation in another namespace or in extensions are ignored")
    func namespaces() throws {
        let log = try read(
            Self.head + """
                <trk><trkseg><trkpt lat="1" lon="2"><time>2026-03-14T18:32:15Z</time><ele>7</ele>
                <t:time>1999-01-01T00:00:00Z</t:time><time xmlns="http://other">1999-01-01T00:00:00Z</time>
                <extensions><time>1999-01-01T00:00:00Z</time><t:ele>9000</t:ele><t:speed>3</t:speed></extensions>
                </trkpt></trkseg></trk></gpx>
                """)
        let fix = try #require(log.vehicles.first?.trace.fixes.first)
        #expect(fix.deviceAt == Timestamp(milliseconds: 1_773_513_135_000))
        #expect(fix.altitudeMeters == 7 && fix.speedMetersPerSecond == 3)
    }

    @Test("the namespace of GPX may have a prefix")
    func prefix() throws {
        let log = try read(
            """
            <g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"><g:trk><g:name>a</g:name><g:trkseg>
            <g:trkpt lat="1" lon="2"><g:time>2026-03-14T18:32:15Z</g:time><time>1999-01-01T00:00:00Z</time></g:trkpt>
            </g:trkseg></g:trk></g:gpx>
            """)
        #expect(log.vehicles.map(\.trace.id) == ["a"])
        #expect(log.vehicles[0].trace.fixes[0].deviceAt == Timestamp(milliseconds: 1_773_513_135_000))
    }

    @Test("a name with 60,000 unescaped ampersands is read")
    func ampersands() throws {
        let text = String(repeating: "&", count: 60_000)
        let log = try read(
            "<gpx><trk><name>\(text)a&amp;b</name><trkseg><trkpt lat=\"1\" lon=\"2\">"
                + "<time>2026-03-14T18:32:15Z</time></trkpt></trkseg></trk></gpx>")
        #expect(log.vehicles.map(\.trace.id) == ["a-b"])
    }

    @Test("unreadable points are reported with line and reason, and other points are read")
    func leftOut() throws {
        let log = try read(
            """
            <gpx><trk><trkseg>
            <trkpt lat="91" lon="2"><time>2026-03-14T18:32:15Z</time></trkpt>
            <trkpt lat="1" lon="2"></trkpt>
            <trkpt lon="2"><time>2026-03-14T18:32:15Z</time></trkpt>
            <trkpt lat="1" lon="2"><time>soon</time></trkpt>
            <trkpt lat="1" lon="2"><time>2026-03-14T18:32:15Z</time><speed>fast</speed></trkpt>
            <trkpt lat="1" lon="2"/>
            """)
        let lines = log.tally.lines(of: "own.gpx")
        #expect(log.tally.read == 1 && log.tally.leftOut == 6)
        #expect(lines[0] == "own.gpx, line 2: lat 91 is outside -90 to 90")
        #expect(lines[1] == "own.gpx, line 3: time is missing" && lines[2] == "own.gpx, line 4: lat is missing")
        #expect(lines[4] == #"own.gpx, line 6: speed "fast" is not accepted; expected a number"#)
        #expect(
            lines[6] == "own.gpx, line 7: the file ends inside the element trkseg; the rest of the file is not read")
        #expect(
            lines[7]
                == "own.gpx: 1 record read, 6 left out, 1 value ignored (1 lat outside -90 to 90, 2 time missing, "
                + "1 lat missing, 1 time not a time, 1 speed not a number, 1 damaged XML)")
    }

    @Test("reading a file without a readable track point throws an error that states what a GPX file contains")
    func nothing() {
        for text in [
            "<gpx></gpx>", "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg></trk></gpx>", "<html><p>no",
        ] {
            let error = #expect(throws: InputError.self) { try read(text) }
            #expect(
                error?.description.contains(
                    "own ride.gpx: expected GPX with track points (trkpt) that have lat, lon and time")
                    == true)
        }
    }

    @Test("a file larger than the buffer is read completely")
    func pieces() throws {
        let count = 20_000
        let points = (0..<count).map {
            "<trkpt lat=\"\(48 + Double($0) / 1e6)\" lon=\"11.5\"><time>\(1_770_000_000 + $0)</time></trkpt>\n"
        }
        let log = try read("<gpx><trk><trkseg>\n\(points.joined())</trkseg></trk></gpx>")
        #expect(log.tally.read == count && log.vehicles[0].trace.fixes.count == count)
        #expect(log.vehicles[0].trace.fixes.last?.deviceAt?.milliseconds == 1_770_000_000_000 + Int64(count - 1) * 1000)
    }
}
