import ChildProcesses
import Foundation
import Support
import TestSupport
import Testing

@testable import Domain

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("sightline history", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryCommandTests {
    private let database: HistoryDatabase
    private let logs: URL

    init() throws {
        database = try HistoryDatabase()
        logs = FileManager.default.temporaryDirectory.appendingPathComponent("sightline-\(database.name)")
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        let locations = HistoryRecords(.locations)
        for index in 0..<30 { locations.addVerdict(of: "drv_\(index % 2)", latitude: 37 + Double(index) / 1000) }
        locations.addVerdict(of: "drv_0", verdict: "rejected", reasons: ["TELEPORTATION", "SUSPECT"])
        let warnings = HistoryRecords(.warnings)
        warnings.addWarning(of: "drv_0", LocationWarning(reason: .teleportation, action: .reject))
        let trips = HistoryRecords(.tripEtas)
        for (index, state) in [TripState.accepted, .completed].enumerated() {
            let at = Timestamp(milliseconds: trips.start + Int64(index) * 20_000)
            var eta = TripEta(tripID: "tr_1", driverID: "drv_1", state: state, computedAt: at)
            eta.change = TripEta.Change(previousState: nil, changedAt: at, contextJSON: #"{"a":"b, \"c\""}"#)
            trips.addEta(eta, origin: .trips)
        }
        _ = try database.sink().write([locations.batch(), warnings.batch(), trips.batch()])
    }

    @Test(
        "query commands write valid output in each of their formats, and gpx without positions is an error",
        arguments: [
            ["driver-track", "drv_0"], ["position-at", "drv_0", "now"], ["trip-path", "tr_1"],
            ["near", "--latitude", "37", "--longitude", "-122.418", "--radius", "1000"], ["warnings"],
            ["trip-distance", "tr_1"], ["eta-accuracy"], ["verify"],
        ])
    func queryFormats(arguments: [String]) async throws {
        let hasPositions = ["driver-track", "position-at", "trip-path"].contains(arguments[0])
        for format in ["table", "json", "ndjson", "csv"] + (hasPositions ? ["geojson", "gpx"] : []) {
            let output = try await sightline(["history"] + arguments + ["--format", format])
            try check(output, format)
            #expect(!output.contains("nothing found"), "\(arguments)")
        }
        if !hasPositions {
            await #expect(throws: Program.Failure.self) {
                try await sightline(["history"] + arguments + ["--format", "gpx"])
            }
        }
    }

    @Test(
        "exports write valid output in each of their formats",
        arguments: ["locations", "warnings", "trip-events", "etas"])
    func exportFormats(table: String) async throws {
        try database.connection.execute("UPDATE location_history SET driver_id = $1", [.text("<&>\" ,\n\\é")])
        let hasPositions = table == "locations" || table == "trip-events"
        for format in ["csv", "json", "ndjson"] + (hasPositions ? ["geojson", "gpx"] : []) {
            let output = try await sightline(["history", "export", table, "--format", format])
            // The output includes standard error, where the command reports that there are no rows.
            let lines = output.split(separator: "\n").filter { !$0.hasPrefix("No such row was received") }
            try check(lines.joined(separator: "\n"), format)
        }
    }

    @Test("an export contains every row once, and filters apply")
    func exportRows() async throws {
        func rows(_ arguments: String...) async throws -> Int {
            let output = try await sightline(["history", "export", "--format", "ndjson"] + arguments)
            return output.split(separator: "\n").count { $0.hasPrefix("{") }
        }
        #expect(try await rows() == 31)
        #expect(try await rows("--driver", "drv_0") == 16)
        #expect(try await rows("--driver", "drv_0", "--accepted-only") == 15)
        #expect(try await rows("--last", "1s") == 0)
        #expect(try await rows("trip-events", "--trip", "tr_1") == 2)
        let gpx = try await sightline(["history", "export", "--format", "gpx"])
        #expect(gpx.components(separatedBy: "<trk>").count == 3)
        #expect(gpx.components(separatedBy: "<trkpt ").count == 31)
    }

    @Test("reasons are lists of codes, and times are in ISO 8601 with Z, as in the topics")
    func reasonsAndTimes() async throws {
        let output = try await sightline([
            "history", "driver-track", "drv_0", "--all-verdicts", "--format", "json",
        ])
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
        #expect(rows.last?["reasons"] as? [String] == ["TELEPORTATION", "SUSPECT"])
        let time = try #require(rows.first?["fixed_at"] as? String)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil, "\(time)")
    }

    @Test("an export ends without an error when its reader closes the pipe")
    func brokenPipe() async throws {
        try database.connection.execute(
            """
            INSERT INTO location_history (received_at, fixed_at, event_offset, event_part, kafka_partition, verdict, risk,
                driver_id, raw_latitude, raw_longitude)
            SELECT now(), now(), n, 1, 0, 'late', 0, 'drv_9', 0, 0 FROM generate_series(1, 20000) n
            """)
        let binary = Program.folder.appendingPathComponent("sightline").path
        let shell = try ChildProcess.run(
            "/bin/bash", ["-c", "set -o pipefail; '\(binary)' history export 2>&1 | head -n 1"],
            environment: ["POSTGRES_URL": database.url, "PATH": "/usr/bin:/bin"])
        #expect(shell.ending == .exit(0))
        let output = String(decoding: shell.output, as: UTF8.self)
        #expect(output.hasPrefix("event_id,driver_id"))
    }

    @Test("migrate prints applied migrations; migrate --check fails before migrate and succeeds after it")
    func migrateCommand() async throws {
        let empty = try HistoryDatabase(isMigrated: false)
        let environment = ["POSTGRES_URL": empty.url]
        await #expect(throws: Program.Failure.self) {
            try await Program.run("sightline", ["migrate", "--check"], environment: environment, logs: logs)
        }
        #expect(try empty.lines("SELECT to_regclass('sink_progress')") == ["-"])
        let first = try await Program.run("sightline", ["migrate"], environment: environment, logs: logs)
        #expect(first.contains("applied 0001_tables\n"))
        let second = try await Program.run("sightline", ["migrate"], environment: environment, logs: logs)
        #expect(!second.contains("applied"))
        try await Program.run("sightline", ["migrate", "--check"], environment: environment, logs: logs)
    }

    @Test("history maintain prints its changes; an invalid time is an error with a valid example")
    func maintainAndErrors() async throws {
        #expect(try await sightline(["history", "maintain"]).contains("location_history: "))
        let error = await #expect(throws: Program.Failure.self) {
            try await sightline(["history", "warnings", "--from", "teatime"])
        }
        #expect(error?.description.contains("2025-03-14T18:32:15Z") == true)
        await #expect(throws: Program.Failure.self) {
            try await sightline(["history", "warnings", "--from", "tomorrow", "--to", "today"])
        }
    }

    @Test("a trip without a trip record is found by its fixes; messages contain the period and options to extend it")
    func tripByFixes() async throws {
        let locations = HistoryRecords(.locations, partition: 1)
        for index in 0..<3 { locations.addVerdict(of: "drv_8", latitude: 37 + Double(index) / 1000, trip: "tr_8") }
        locations.addVerdict(of: "drv_9", latitude: 50, trip: "tr_8")
        _ = try database.sink().write([locations.batch()])
        let table = try await sightline(["history", "trip-path", "tr_8"])
        #expect(table.contains("\n3 positions\n"), "\(table)")
        #expect(table.contains("There is no trip record of tr_8; the path is from 3 fixes of driver drv_8 from "))
        #expect(table.contains("1 other driver also sent its id."))
        #expect(!table.contains(" 50"), "\(table)")
        let line = try await sightline(["history", "trip-path", "tr_8", "--format", "geojson"])
        #expect(line.contains("LineString"))
        let early = try await sightline(["history", "trip-path", "tr_8", "--to", "yesterday"])
        #expect(early.contains("There is no trip record of tr_8, and no fix with its id was received"), "\(early)")
        #expect(early.contains("00:00:00Z. For a longer period, use --last 7d, or --from and --to"), "\(early)")
        let other = try await sightline(["history", "driver-track", "drv_77", "--last", "1h"])
        #expect(other.contains("No smoothed position of driver drv_77 from 20"), "\(other)")
    }

    @Test("missing speed and heading are replaced by the device's values, and times are marked as UTC")
    func deviceMotion() async throws {
        try database.connection.execute(
            "UPDATE location_history SET heading = NULL, speed_mps = NULL, raw_heading = 45, raw_speed_mps = 12.5")
        for arguments in [["driver-track", "drv_0"], ["trip-path", "tr_1"], ["position-at", "drv_0", "now"]] {
            let output = try await sightline(["history"] + arguments + ["--format", "json"])
            let rows = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
            #expect(!rows.isEmpty)
            #expect(rows.allSatisfy { $0["heading"] as? Double == 45 && $0["speed_mps"] as? Double == 12.5 })
        }
        let table = try await sightline(["history", "driver-track", "drv_1"])
        let row = try #require(table.split(separator: "\n").dropFirst(2).first)
        #expect(row.prefix(24).wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?Z */) != nil, "\(row)")
        #expect(table.hasSuffix("\n15 fixes\n"), "\(table)")
        let one = try await sightline(["history", "position-at", "drv_0", "now"])
        #expect(one.hasSuffix("\n1 position\n"), "\(one)")
    }

    @Test("tables are no wider than terminals of 80 and 42 columns", arguments: [80, 42])
    func tableWidth(columns: Int) throws {
        let binary = Program.folder.appendingPathComponent("sightline").path
        for query in ["driver-track drv_0", "trip-path tr_1", "near --latitude 37 --longitude -122.418", "warnings"] {
            let shell = try ChildProcess.run(
                "/usr/bin/script",
                ["-qec", "stty cols \(columns) && '\(binary)' history \(query)", "/dev/null"],
                environment: ProcessInfo.processInfo.environment.merging([
                    "POSTGRES_URL": database.url, "TERM": "xterm",
                ]) { $1 })
            let output = String(decoding: shell.output, as: UTF8.self).replacingOccurrences(of: "\r", with: "")
            #expect(shell.ending == .exit(0), "\(output)")
            let lines = output.split(separator: "\n")
            #expect(lines.count > 2 && lines.allSatisfy { $0.count <= columns }, "\(query): \(output)")
        }
    }

    @Test("an export of trip events contains stage and facts")
    func exportedFacts() async throws {
        try database.connection.execute(
            "UPDATE trip_events SET stage = 'DRIVER_EN_ROUTE', facts = $1 WHERE state = 'ACCEPTED'",
            [.text(#"{"vehicle":"red"}"#)])
        let output = try await sightline(["history", "export", "trip-events", "--format", "json"])
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
        let row = try #require(rows.first { $0["state"] as? String == "ACCEPTED" })
        #expect(row["stage"] as? String == "DRIVER_EN_ROUTE" && row["facts"] as? String == #"{"vehicle":"red"}"#)
        #expect(rows.contains { $0["facts"] is NSNull })
    }

    @Test("a duration without a unit is an error, and a period that ends before its start is a usage error")
    func periodErrors() async throws {
        let unit = await #expect(throws: Program.Failure.self) {
            try await sightline(["history", "warnings", "--last", "5"])
        }
        #expect(unit?.description.contains("5 has no unit; use 5s, 5min, 5h or 5d") == true, "\(unit as Any)")
        let order = await #expect(throws: Program.Failure.self) {
            try await sightline(["history", "driver-track", "drv_0", "--from", "2025-03-15", "--to", "2025-03-14"])
        }
        for part in [
            "exited 64", "The period is from 2025-03-15 00:00:00Z to 2025-03-14 00:00:00Z",
            "Usage: sightline history driver-track <driver>", "See 'sightline history driver-track --help'",
        ] { #expect(order?.description.contains(part) == true, "\(part): \(order as Any)") }
    }

    @discardableResult
    private func sightline(_ arguments: [String]) async throws -> String {
        try await Program.run("sightline", arguments, environment: ["POSTGRES_URL": database.url], logs: logs)
    }

    private func check(_ output: String, _ format: String) throws {
        switch format {
        case "json", "geojson": _ = try JSONSerialization.jsonObject(with: Data(output.utf8))
        case "ndjson":
            for line in output.split(separator: "\n") { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        case "gpx": #expect(XMLParser(data: Data(output.utf8)).parse(), "\(output)")
        case "csv":
            let counts = Set(Self.fieldCounts(output))
            #expect(counts.count == 1, "\(output)")
        default: #expect(!output.isEmpty)
        }
    }

    /// Returns the number of fields of each record of a CSV text.
    private static func fieldCounts(_ text: String) -> [Int] {
        var counts: [Int] = []
        var fields = 1
        var isQuoted = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: fields += 1
            case "\n" where !isQuoted:
                counts.append(fields)
                fields = 1
            default: break
            }
        }
        return counts
    }
}
