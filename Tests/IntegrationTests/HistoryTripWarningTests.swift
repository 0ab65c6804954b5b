import Support
import TestSupport
import Testing

@testable import Domain

@Suite(
    "History sink: trip warnings", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryTripWarningTests {
    private let database: HistoryDatabase
    private let warnings = HistoryRecords(.tripWarnings)

    init() throws { database = try HistoryDatabase() }

    private func time(_ second: Double) -> Timestamp {
        Timestamp(milliseconds: warnings.start).advanced(bySeconds: second)
    }

    private func start(at second: Double, meters: Double) -> TripWarning {
        TripWarning(
            code: .routeDeviation, beganAt: time(second), greatestMeters: meters,
            coordinate: Coordinate(latitude: 37.5, longitude: -122.5))
    }

    private func end(of warning: TripWarning, at second: Double, meters: Double) -> TripWarning {
        var end = warning
        (end.endedAt, end.ending, end.greatestMeters) = (time(second), .returned, meters)
        return end
    }

    @Test("each deviation is one row of route_deviations with its start, end and greatest distance")
    func routeDeviations() throws {
        let first = start(at: 0, meters: 80)
        let second = start(at: 100, meters: 70)
        for warning in [first, end(of: first, at: 61, meters: 320.5), second] { warnings.addTripWarning(warning) }
        warnings.addTripWarning(first, of: "tr_2")
        _ = try database.sink().write([warnings.batch()])
        #expect(
            try database.lines(
                """
                SELECT trip_id, driver_id, began_at = to_timestamp($1::bigint / 1000.0), seconds, greatest_meters, ended_by,
                    ended_at - began_at, latitude FROM route_deviations ORDER BY trip_id, began_at
                """, [.integer(warnings.start)]) == [
                    "tr_1|drv_1|t|61|320.5|RETURNED|00:01:01|37.5", "tr_1|drv_1|f|-|70|-|-|37.5",
                    "tr_2|drv_1|t|-|80|-|-|37.5",
                ])
        #expect(
            try database.lines(
                "SELECT warning_code, is_resolved, message, event_id(event_is_trip, kafka_partition, event_offset, event_part) "
                    + "FROM trip_warnings ORDER BY event_offset LIMIT 2") == [
                    "ROUTE_DEVIATION|f|Left the planned route: 80 m away.|0-0",
                    "ROUTE_DEVIATION|t|Back on the planned route after 61 s; at most 321 m away.|0-1",
                ])
    }

    @Test("a repeated warning is written once, and history_duplicates includes trip_warnings")
    func repeatedWarning() throws {
        warnings.addTripWarning(start(at: 0, meters: 80))
        let sink = database.sink()
        _ = try sink.write([warnings.batch()])
        let event = EventID(partition: 0, offset: 0)
        warnings.add(key: "tr_1", event: event, timestamp: warnings.start + 1000, value: "{}")
        let report = try sink.write([warnings.batch(from: 1)])
        #expect(report.repeated == 1)
        #expect(try database.number("SELECT count(*) FROM trip_warnings") == 1)
        #expect(
            try database.lines(
                "SELECT rows, duplicates FROM history_duplicates('-infinity', 'infinity') WHERE table_name = 'trip_warnings'"
            )
                == ["1|0"])
    }

    @Test("a trip event is stored with stage and facts, or null without them")
    func factsAndStage() throws {
        let etas = HistoryRecords(.tripEtas)
        var eta = TripEta(tripID: "tr_1", driverID: "drv_1", state: .accepted, computedAt: time(0))
        eta.stage = .driverEnRoute
        eta.change = TripEta.Change(
            previousState: .accepted, changedAt: eta.computedAt, factsJSON: #"{"driver":{"first_name":"Ann"}}"#)
        etas.addEta(eta, origin: .trips)
        eta.stage = nil
        eta.change?.factsJSON = nil
        etas.addEta(eta, origin: .trips)
        _ = try database.sink().write([etas.batch()])
        #expect(
            try database.lines(
                "SELECT stage, facts::jsonb -> 'driver' ->> 'first_name' FROM trip_events ORDER BY event_offset")
                == ["DRIVER_EN_ROUTE|Ann", "-|-"])
    }

    @Test("trip_points of a rematched trip contains only positions of the new driver")
    func rematchedPath() throws {
        let etas = HistoryRecords(.tripEtas)
        for (driver, state, second) in [
            ("drv_1", TripState.accepted, 0.0), ("drv_1", .cancelled, 20), ("drv_2", .accepted, 10),
        ] {
            var eta = TripEta(tripID: "tr_1", driverID: driver, state: state, computedAt: time(second))
            eta.change = TripEta.Change(previousState: nil, changedAt: eta.computedAt)
            etas.addEta(eta, origin: .trips)
        }
        let locations = HistoryRecords(.locations)
        for second in 0..<30 {
            let driver = second.isMultiple(of: 2) ? "drv_1" : "drv_2"
            locations.addVerdict(of: driver, longitude: driver == "drv_1" ? 1 : 2)
        }
        _ = try database.sink().write([etas.batch(), locations.batch()])
        let path = try database.lines("SELECT DISTINCT longitude FROM trip_points('tr_1')")
        #expect(path == ["2"])
    }

    @Test("sightline_reader may read trip warnings and deviations; sightline_worker may insert, but not read")
    func tablePrivileges() throws {
        for (role, statement, isAllowed) in [
            ("sightline_reader", "SELECT * FROM route_deviations", true),
            ("sightline_reader", "SELECT * FROM trip_warnings", true),
            ("sightline_reader", "DELETE FROM trip_warnings", false),
            ("sightline_worker", "SELECT * FROM trip_warnings", false),
            ("sightline_worker", "SELECT * FROM route_deviations", false),
        ] {
            let table = statement.contains("route_deviations") ? "route_deviations" : "trip_warnings"
            let privilege = statement.hasPrefix("SELECT") ? "SELECT" : "DELETE"
            let actual = try database.lines("SELECT has_table_privilege('\(role)', '\(table)', '\(privilege)')")
            #expect(actual == [isAllowed ? "t" : "f"], "\(role): \(statement)")
        }
        #expect(
            try database.lines("SELECT has_table_privilege('sightline_worker', 'trip_warnings', 'INSERT')") == ["t"])
    }
}
