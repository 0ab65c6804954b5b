import Foundation
import Postgres
import TestSupport
import Testing

@testable import Domain

@Suite("History sink: row contents", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryContentTests {
    private let database: HistoryDatabase
    private let locations = HistoryRecords(.locations, partition: 3)

    init() throws { database = try HistoryDatabase() }

    @Test("an accepted verdict is stored with its estimate and the device's values")
    func acceptedVerdict() throws {
        locations.addVerdict(of: "drv_1", latitude: 37.5, longitude: -122.25, trip: "tr_1")
        _ = try database.sink().write([locations.batch()])
        let received = locations.start
        #expect(
            try database.lines(
                """
                SELECT driver_id, trip_id, session_id, sequence, kafka_partition, event_offset, event_part, verdict, reasons, risk,
                    latitude, longitude, heading, speed_mps, accuracy_meters, confidence, is_halted, raw_latitude,
                    raw_longitude, raw_heading, raw_speed_mps, raw_accuracy_meters,
                    received_at = to_timestamp($1::bigint / 1000.0),
                    fixed_at = to_timestamp(($1::bigint - 200) / 1000.0),
                    device_at = to_timestamp(($1::bigint - 300) / 1000.0)
                FROM location_history
                """, [.integer(received)]) == [
                    "drv_1|tr_1|s1|1000|3|0|0|accepted|-|0.25|37.5|-122.25|44.5|12.25|3.5|HIGH|f|37.5|-122.25|45|12.5|5.5|t|t|t"
                ])
    }

    @Test("a rejected verdict is stored with its reasons and without an estimate")
    func rejectedVerdict() throws {
        locations.addVerdict(of: "drv_1", verdict: "rejected", reasons: ["TELEPORTATION", "SUSPECT"])
        _ = try database.sink().write([locations.batch()])
        #expect(
            try database.lines(
                "SELECT verdict, reasons, latitude, heading, is_halted, confidence, trip_id, raw_latitude FROM location_history"
            ) == ["rejected|{TELEPORTATION,SUSPECT}|-|-|-|-|-|37.775"])
    }

    @Test("device fields are stored, and missing fields and unknown values are null")
    func deviceReport() throws {
        locations.addVerdict(
            of: "drv_1", verdict: "late",
            report: (
                #","altitude_meters":512.5,"is_mock":false,"integrity":"PASSED","source":"fused","#
                    + #""altitude_accuracy_meters":8.25,"heading_accuracy_degrees":2.5,"speed_accuracy_mps":0.5"#,
                #","battery_percent":61,"is_charging":true,"network_type":"4g","motion_activity":"automotive""#
            ))
        locations.addVerdict(of: "drv_1")
        locations.addVerdict(
            of: "drv_1", verdict: "rejected", reasons: ["MOCK_LOCATION"],
            report: (#","is_mock":true,"integrity":"FAILED","source":"a new word""#, #","network_type":"6g""#))
        #expect(try database.sink().write([locations.batch()]).written == 3)
        #expect(
            try database.lines(
                """
                SELECT raw_altitude_meters, raw_altitude_accuracy_meters, raw_heading_accuracy_degrees,
                    raw_speed_accuracy_mps, battery_percent, is_charging, network_type, motion_activity, source, is_mock,
                    integrity FROM location_history ORDER BY event_offset
                """) == [
                    "512.5|8.25|2.5|0.5|61|t|4g|automotive|fused|f|PASSED", "-|-|-|-|-|-|-|-|-|-|-",
                    "-|-|-|-|-|-|-|-|-|t|FAILED",
                ])
    }

    @Test("throttled verdicts with an estimate are thinned like accepted verdicts, and others are all stored")
    func throttledVerdict() throws {
        for index in 0..<20 {
            let verdict = index % 7 == 0 ? "accepted" : "throttled"
            locations.addVerdict(
                of: "drv_1", verdict: verdict, latitude: 37 + Double(index) * 0.0001, hasEstimate: true)
        }
        locations.addVerdict(of: "drv_1", verdict: "throttled", latitude: 38)
        _ = try database.sink { $0.minimumDistanceMeters = 50 }.write([locations.batch(to: 11)])
        // A new sink reads the last stored row of the driver.
        _ = try database.sink { $0.minimumDistanceMeters = 50 }.write([locations.batch(from: 11)])
        #expect(
            try database.lines("SELECT event_offset, verdict, latitude IS NULL FROM location_history ORDER BY 1")
                == ["0|accepted|f", "5|throttled|f", "10|throttled|f", "15|throttled|f", "20|throttled|t"])
    }

    @Test("risk signals are stored, and a verdict without signals has null")
    func riskSignals() throws {
        locations.addVerdict(of: "drv_1", signals: ["JUMP", "RELOCATION", "DRIFT"])
        locations.addVerdict(of: "drv_1")
        _ = try database.sink().write([locations.batch()])
        #expect(
            try database.lines("SELECT risk_signals FROM location_history ORDER BY event_offset")
                == ["{JUMP,RELOCATION,DRIFT}", "-"])
    }

    @Test("open_warnings contains the last warning of each driver and code if its action is not RESOLVED")
    func openWarnings() throws {
        let warnings = HistoryRecords(.warnings)
        func add(_ driver: String, _ reason: Reasons, _ action: LocationWarning.Action) {
            warnings.addWarning(of: driver, LocationWarning(reason: reason, action: action))
        }
        add("drv_1", .suspect, .none)
        add("drv_1", .suspect, .flag)
        add("drv_1", .mockLocation, .reject)
        add("drv_2", .suspect, .flag)
        add("drv_1", .mockLocation, .resolved)
        add("drv_2", .suspect, .resolved)
        add("drv_2", .suspect, .review)
        _ = try database.sink().write([warnings.batch()])
        let open = "SELECT driver_id, warning_code, action, event FROM open_warnings ORDER BY driver_id"
        #expect(try database.lines(open) == ["drv_1|SUSPECT|FLAG|0-1", "drv_2|SUSPECT|REVIEW|0-6"])
    }

    @Test("event_id() formats event ids as in the topics")
    func eventIDs() throws {
        let ids = [
            EventID(partition: 3, offset: 7), EventID(partition: 3, offset: 7).withFix(0),
            EventID(partition: 3, offset: 7).withFix(499),
            EventID(partition: 3, offset: 7).withFix(65_000).withPunctuation(2).withMessage(255),
            EventID(origin: .trips, partition: 0, offset: .max).withPunctuation(1_099_511_627_775),
        ]
        for id in ids {
            let row = try database.connection.execute(
                "SELECT event_id($1, $2::integer, $3, $4)",
                [
                    .boolean(id.origin == .trips), .integer(Int64(id.partition)), .integer(id.offset),
                    .integer(Int64(bitPattern: id.part)),
                ])
            #expect(row.first?.string(0) == id.description)
        }
    }

    @Test("a warning is stored with its evidence, and two warnings of one event are two rows")
    func warningRows() throws {
        let warnings = HistoryRecords(.warnings)
        let evidence = LocationWarning.Evidence(distanceMeters: 4213, seconds: 3, speedMetersPerSecond: 1404, fixes: 2)
        warnings.addWarning(
            of: "drv_1", LocationWarning(reason: .teleportation, action: .reject, evidence: evidence), event: 0)
        warnings.addWarning(
            of: "drv_1", LocationWarning(reason: .mockLocation, action: .flag), event: 0, message: 1)
        _ = try database.sink().write([warnings.batch()])
        #expect(
            try database.lines(
                """
                SELECT driver_id, warning_code, action, risk, distance_meters, seconds, speed_mps, accuracy_meters, fixes,
                    length(message) > 0 FROM location_warnings ORDER BY event_part
                """) == [
                    "drv_1|TELEPORTATION|REJECT|0.75|4213|3|1404|-|2|t", "drv_1|MOCK_LOCATION|FLAG|0.75|-|-|-|-|-|t",
                ])
        #expect(try database.duplicateCount() == 0)
    }

    @Test("unreadable records are counted and skipped, and the partition continues")
    func unreadableRecords() throws {
        locations.add(key: "drv_1", event: EventID(partition: 3, offset: 0), timestamp: locations.start, value: "{")
        locations.add(key: "drv_1", event: nil, timestamp: locations.start, value: "no json")
        locations.add(key: "drv_1", event: EventID(partition: 3, offset: 2), timestamp: locations.start, value: nil)
        locations.addVerdict(of: "drv_1")
        let report = try database.sink().write([locations.batch()])
        #expect(report.unreadable == 3)
        #expect(report.written == 1)
        #expect(try database.lines("SELECT next_offset, raw_event FROM sink_progress") == ["4|3-3"])
    }

    @Test("rows received in 1973 and 9999 are stored in the default partition")
    func farTimes() throws {
        locations.addVerdict(of: "drv_1", receivedAt: 253_402_300_000_000)
        locations.addVerdict(of: "drv_1", receivedAt: 100_000_000_000)
        #expect(try database.sink().write([locations.batch()]).written == 2)
        #expect(
            try database.lines("SELECT extract(year FROM received_at) FROM location_history_default ORDER BY 1")
                == ["1973", "9999"])
    }

    @Test("the error of a database without tables is fatal and recommends sightline migrate")
    func notMigrated() throws {
        let empty = try HistoryDatabase(isMigrated: false)
        let error = #expect(throws: PostgresError.self) { try empty.sink().connect() }
        #expect(error?.isRetriable == false)
        #expect(error?.message.contains("sightline migrate") == true)
    }

    @Test("connecting to a read-only database is a retriable error")
    func readOnlyServer() throws {
        try database.connection.execute("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        let error = #expect(throws: PostgresError.self) { try database.sink().connect() }
        #expect(error?.sqlState == "25006")
        #expect(error?.isRetriable == true)
    }

    @Test("a minimum distance thins accepted fixes, but not rejected fixes")
    func thinningByDistance() throws {
        for index in 0..<20 {
            // 11.1 m northwards each second.
            locations.addVerdict(of: "drv_1", latitude: 37 + Double(index) * 0.0001)
            locations.addVerdict(of: "drv_1", verdict: "rejected", reasons: ["LOW_ACCURACY"])
        }
        let sink = database.sink { $0.minimumDistanceMeters = 50 }
        _ = try sink.write([locations.batch()])
        let stored = try database.lines(
            "SELECT event_offset FROM location_history WHERE verdict = 'accepted' ORDER BY event_offset")
        #expect(stored == ["0", "10", "20", "30"])
        #expect(try database.number("SELECT count(*) FROM location_history WHERE verdict = 'rejected'") == 20)
    }

    @Test("with a minimum interval, a restart does not change which fixes are stored", arguments: 1...6)
    func thinningAcrossRestarts(stop: Int64) throws {
        for _ in 0..<20 { locations.addVerdict(of: "drv_1") }
        _ = try database.sink { $0.minimumIntervalMilliseconds = 5000 }.write([locations.batch(to: stop)])
        _ = try database.sink { $0.minimumIntervalMilliseconds = 5000 }.write([locations.batch(from: stop)])
        #expect(
            try database.lines("SELECT event_offset FROM location_history ORDER BY event_offset")
                == ["0", "5", "10", "15"])
    }
}
