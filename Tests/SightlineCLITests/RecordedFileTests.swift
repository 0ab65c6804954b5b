import ChildProcesses
import Foundation
import Testing

@testable import Domain
@testable import Recordings
@testable import SightlineCLI
@testable import Support

@Suite("Recorded files", .blocking)
struct RecordedFileTests {
    private func withFile(_ bytes: Data, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt").path
        #expect(FileManager.default.createFile(atPath: path, contents: bytes))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private let csv = """
        trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,speed_mps,heading_deg,altitude_m
        a,x,10000,48.1,11.5,5,1,359.99,10
        b,x,9000,48.2,11.6,,,,
        a,x,12000,48.1,11.5001,5,1,360,10
        broken

        a,x,11000,48.1,11.5002,5,1,0,10
        """

    @Test("the survey of a CSV has its times, traces and unreadable lines")
    func survey() throws {
        try withFile(Data(csv.utf8)) { path in
            let survey = try RecordedFile(path: path).survey()
            #expect(survey.tally.read == 4 && survey.tally.leftOut == 1 && survey.traces == 2)
            #expect(survey.tally.lines(of: "own.csv")[0] == "own.csv, line 5, column 4: latitude is missing")
            #expect(
                survey.earliest == Timestamp(milliseconds: 9000) && survey.latest == Timestamp(milliseconds: 12_000))
            #expect(try RecordedFile(path: path, limit: 2).survey().tally.read == 2)
        }
    }

    @Test("records are in file order; each trace is a trip and a session with gap-free sequence numbers")
    func records() throws {
        try withFile(Data(csv.utf8)) { path in
            var records: [RecordedFile.Record] = []
            var change = ReplayTransform()
            change.shiftMilliseconds = 1_000_000
            try RecordedFile(path: path).forEach(change) { records.append($0) }
            #expect(records.map(\.at.milliseconds) == [1_010_000, 1_009_000, 1_012_000, 1_011_000])
            #expect(records.allSatisfy { $0.key == "x" })
            let objects = try records.map { record in
                try #require(try JSONSerialization.jsonObject(with: Data(record.value)) as? [String: Any])
            }
            #expect(objects.map { $0["sequence"] as? Int } == [1, 1, 2, 3])
            #expect(objects.map { $0["session_id"] as? String } == ["a", "b", "a", "a"])
            let payloads = try objects.map { try #require($0["payload"] as? [String: Any]) }
            #expect(payloads.map { $0["trip_id"] as? String } == ["a", "b", "a", "a"])
            #expect(payloads[0]["timestamp"] as? String == "1970-01-01T00:16:50.000Z")
            #expect(payloads[2]["heading"] as? Double == 0)
            #expect(payloads[1]["accuracy_meters"] == nil)
        }
    }

    @Test("a transformed recording has a new session and shifted positions, including the true positions")
    func resent() throws {
        try withFile(Data("timestamp_ms,latitude,longitude,true_latitude,true_longitude\n5,48,11,48.5,11.5".utf8)) {
            path in
            var change = ReplayTransform()
            change.sessionTag = "k3"
            change.latitudeShift = 0.00002
            var records: [RecordedFile.Record] = []
            try RecordedFile(path: path).forEach(change) { records.append($0) }
            let truth = try #require(records[0].truth)
            #expect(truth.sessionID.hasSuffix("-k3") && truth.sequence == 1)
            #expect(truth.coordinate == Coordinate(latitude: 48.50002, longitude: 11.5))
            #expect(truth.reported == Coordinate(latitude: 48.00002, longitude: 11))
            let value = String(decoding: records[0].value, as: UTF8.self)
            #expect(value.contains("\"session_id\":\"\(truth.sessionID)\"") && value.contains("48.00002"))
        }
    }

    @Test("GPX is detected by its first character")
    func gpx() throws {
        let text =
            "\n<gpx><trk><name>d</name><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-03-14T18:32:15Z</time></trkpt>"
        try withFile(Data((text + "</trkseg></trk></gpx>").utf8)) { path in
            var records: [RecordedFile.Record] = []
            let tally = try RecordedFile(path: path).forEach { records.append($0) }
            #expect(tally.read == 1 && records.map(\.key) == ["d"])
            #expect(records.map(\.at.milliseconds) == [1_773_513_135_000])
        }
    }

    @Test(
        "an unreadable file throws an error with the expected format, and the command exits with 1",
        arguments: [
            ("lat,lon\n1,2\n", "expected CSV with columns timestamp_ms (or time), latitude, longitude"),
            ("time,lat,lon\nsoon,1,2\n", "expected CSV with columns timestamp_ms (or time), latitude, longitude"),
            ("time,lat,lon\n", "The file has no records."), ("", "The file is empty."),
            (
                "{\n\"driver_id\": \"d\"\n}\n",
                "expected NDJSON of raw records, one JSON object with driver_id and timestamp"
            ),
            ("<gpx></gpx>", "expected GPX with track points (trkpt) that have lat, lon and time"),
            ("[]", "or NDJSON of raw records"),
        ])
    func unreadable(text: String, expected: String) throws {
        try withFile(Data(text.utf8)) { path in
            for read in [
                { _ = try RecordedFile(path: path).survey() }, { try RecordedFile(path: path).forEach { _ in } },
            ] {
                let error = #expect(throws: InputError.self) { try read() }
                #expect(error?.description.hasPrefix("\(path): ") == true)
                #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
            }
            let command = try ProcessFiles.parse(["--input", path, "--output", "/dev/null"])
            let error = #expect(throws: InputError.self) { try command.run() }
            #expect(error.map { ProcessFiles.exitCode(for: $0).rawValue } == 1)
        }
    }

    @Test("NDJSON is detected by its first brace, and a line without a time gets the previous line's time")
    func ndjson() throws {
        let text =
            "{\"driver_id\":\"d\",\"timestamp\":1770000002000}\n{\"broken\n\n"
            + "{\"driverId\":\"e\",\"timestamp\":1770000005000}\r\n"
        try withFile(Data(text.utf8)) { path in
            let file = RecordedFile(path: path)
            #expect(try file.survey().tally.read == 3)
            var records: [RecordedFile.Record] = []
            var change = ReplayTransform()
            change.shiftMilliseconds = 100
            try file.forEach(change) { records.append($0) }
            #expect(records.map(\.at.milliseconds) == [1_770_000_002_100, 1_770_000_002_100, 1_770_000_005_100])
            #expect(records.map(\.key) == ["d", nil, "e"])
            let last = String(decoding: records[2].value, as: UTF8.self)
            #expect(last == "{\"driverId\":\"e\",\"timestamp\":1770000005100}")
        }
    }

    @Test("a gzip file is read like the plain file")
    func gzip() throws {
        try withFile(Data(csv.utf8)) { path in
            let packed = "\(path).gz"
            let ending = try ChildProcess.run("gzip", ["-k", path]).ending
            #expect(ending == .exit(0))
            defer { try? FileManager.default.removeItem(atPath: packed) }
            #expect(try RecordedFile(path: packed).survey() == RecordedFile(path: path).survey())
            // With a limit, reading stops before the end of the file.
            #expect(try RecordedFile(path: packed, limit: 1).survey().tally.read == 1)
        }
    }

    @Test("a truncated gzip file is an error")
    func cutOff() throws {
        let head = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3])
        try withFile(head) { path in
            #expect(throws: InputError.self) { try RecordedFile(path: path).survey() }
        }
    }

    @Test("a missing or empty file is an error")
    func missing() throws {
        #expect(throws: InputError.self) { try RecordedFile(path: "/nowhere/at/all.csv").survey() }
        try withFile(Data()) { path in
            #expect(throws: InputError.self) { try RecordedFile(path: path).survey() }
        }
    }

    @Test("lines of 0 to 160 kB are read completely")
    func lines() throws {
        var random = SystemRandomNumberGenerator()
        let lines = (0..<200).map { _ in
            String(repeating: "x", count: Int(random.next(upperBound: UInt(9))) * 20_011)
        }
        try withFile(Data(lines.joined(separator: "\n").utf8)) { path in
            let reader = try LineReader(path: path)
            for (number, line) in lines.enumerated() where number + 1 < lines.count || !line.isEmpty {
                #expect(try reader.next()?.count == line.utf8.count)
            }
            #expect(try reader.next() == nil)
        }
    }
}
