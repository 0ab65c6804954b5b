import Foundation
import TestSupport
import Testing

/// Query functions of the database, with hand-made positions, trips and arrival times.
@Suite("History: query functions", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryQueryTests {
    private let database: HistoryDatabase

    /// Metres per degree of latitude on a sphere with the earth's mean radius.
    private static let degree = 6_371_008.8 * Double.pi / 180

    init() throws {
        database = try HistoryDatabase()
        try database.connection.executeScript(
            """
            CREATE FUNCTION fix(
                driver text, second integer, lat double precision, lon double precision,
                kind location_verdict DEFAULT 'accepted', trip text DEFAULT NULL, late integer DEFAULT 0
            ) RETURNS void LANGUAGE sql AS $$
                INSERT INTO location_history (received_at, fixed_at, event_offset, event_part, kafka_partition, verdict, risk,
                    driver_id, trip_id, latitude, longitude, raw_latitude, raw_longitude, speed_mps)
                SELECT timestamptz '2025-03-14 12:00Z' + make_interval(secs => second + late),
                    timestamptz '2025-03-14 12:00Z' + make_interval(secs => second), second, 0, 0, kind, 0, driver, trip,
                    CASE WHEN has_estimate THEN lat END, CASE WHEN has_estimate THEN lon END, lat, lon, 10
                FROM (SELECT kind IN ('accepted', 'throttled')) AS e (has_estimate)
            $$;
            CREATE FUNCTION trip_change(trip text, second integer, new_state text, driven double precision DEFAULT NULL,
                planned double precision DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
                INSERT INTO trip_events (computed_at, changed_at, event_offset, event_part, kafka_partition, event_is_trip,
                    is_long_route, trip_id, driver_id, kind, state, driven_meters, planned_meters)
                SELECT timestamptz '2025-03-14 12:00Z' + make_interval(secs => second),
                    timestamptz '2025-03-14 12:00Z' + make_interval(secs => second), second, 0, 0, true, false, trip,
                    'drv_1', 'ride', new_state, driven, planned
            $$;
            CREATE FUNCTION eta(trip text, second integer, ahead integer, width integer, passed boolean)
            RETURNS void LANGUAGE sql AS $$
                INSERT INTO eta_history (computed_at, arrives_at, event_offset, event_part, kafka_partition, stop_index, seconds,
                    min_seconds, max_seconds, event_is_trip, is_passed, trip_id, driver_id, stop_id, stop_kind)
                SELECT timestamptz '2025-03-14 12:00Z' + make_interval(secs => second),
                    timestamptz '2025-03-14 12:00Z' + make_interval(secs => second + ahead), second, 0, 0, 0,
                    CASE WHEN NOT passed THEN ahead END, ahead - width, ahead + width, false, passed, trip, 'drv_1',
                    'dropoff', 'dropoff'
            $$;
            SELECT create_history_partition(table_name, day)
            FROM history_tables(), unnest(ARRAY[date '2025-03-14', date '2025-03-15']) AS d (day);
            """)
    }

    @Test("a track contains the accepted fixes, or all fixes, of a half-open period in time order")
    func driverTrack() throws {
        try run(
            "fix('drv_1', 20, 2, 2)", "fix('drv_1', 10, 1, 1)", "fix('drv_1', 15, 9, 9, 'rejected')",
            "fix('drv_1', 30, 3, 3)", "fix('drv_2', 15, 5, 5)", "fix('drv_1', 25, 2.5, 2.5, 'accepted', NULL, 90000)")
        #expect(
            try database.lines(
                "SELECT latitude, event FROM driver_track('drv_1', '2025-03-14 12:00:10Z', '2025-03-14 12:00:30Z')")
                == ["1|0-10", "2|0-20", "2.5|0-25"])
        #expect(
            try database.lines(
                "SELECT latitude, verdict FROM driver_track('drv_1', '2025-03-14 12:00:10Z', '2025-03-14 12:00:20Z', true)"
            ) == ["1|accepted", "9|rejected"])
    }

    @Test("a position between fixes up to 60 s apart is interpolated; in a longer gap it is the last fix with its age")
    func positionAt() throws {
        try run(
            "fix('drv_1', 0, 10, 179.9)", "fix('drv_1', 40, 10.4, -179.9)", "fix('drv_1', 20, 50, 50, 'rejected')",
            "fix('drv_1', 200, 20, 20)")
        func at(_ time: String) throws -> [String] {
            try database.lines(
                "SELECT round(latitude::numeric, 6), round(longitude::numeric, 6), age_seconds, is_interpolated FROM driver_position_at('drv_1', $1)",
                [.text(time)])
        }
        #expect(try at("2025-03-14 12:00:00Z") == ["10.000000|179.900000|0|f"])
        // A quarter of the distance, before the date line.
        #expect(try at("2025-03-14 12:00:10Z") == ["10.100000|179.950000|10|t"])
        #expect(try at("2025-03-14 12:00:30Z") == ["10.300000|-179.950000|30|t"])
        #expect(try at("2025-03-14 12:01:30Z") == ["10.400000|-179.900000|50|f"])
        #expect(try at("2025-03-14 11:59:59Z") == [])
        #expect(try at("2025-03-16 12:00:00Z") == [])
    }

    @Test("drivers_near returns the drivers within the radius, sorted by distance, also at the date line")
    func driversNear() throws {
        let meters = 1 / Self.degree
        try run(
            "fix('drv_1', 10, \(99 * meters), 179.9999999)", "fix('drv_2', 10, 0, -180 + \(50 * meters))",
            "fix('drv_2', 20, 0, -180 + \(20 * meters))", "fix('drv_3', 10, \(101 * meters), 180)",
            "fix('drv_4', 10, 0, 180, 'rejected')", "fix('drv_5', 100, 0, 180)")
        #expect(
            try database.lines(
                """
                SELECT driver_id, round(closest_meters), fixes, closest_at = '2025-03-14 12:00:20Z'
                FROM drivers_near(0, 180, 100, '2025-03-14 12:00Z', '2025-03-14 12:01Z')
                """) == ["drv_2|20|2|t", "drv_1|99|1|f"])
    }

    @Test(
        "drivers_near finds drivers in all directions, also near the poles", arguments: [0.0, 45, 80, 89, 89.99])
    func driversInAllDirections(latitude: Double) throws {
        for (index, bearing) in stride(from: 0.0, to: 360, by: 30).enumerated() {
            let angle = 9990 / 6_371_008.8
            let start = latitude * .pi / 180
            let radians = bearing * .pi / 180
            let sine = sin(start) * cos(angle) + cos(start) * sin(angle) * cos(radians)
            let east = atan2(sin(radians) * sin(angle) * cos(start), cos(angle) - sin(start) * sine)
            try run("fix('drv_\(index)', \(index), \(asin(sine) * 180 / .pi), \(east * 180 / .pi))")
        }
        #expect(
            try database.number(
                "SELECT count(*) FROM drivers_near($1, 0, 10000, '2025-03-14 12:00Z', '2025-03-14 13:00Z')",
                [.double(latitude)]) == 12)
    }

    @Test("tracks, positions, paths and drivers_near include throttled fixes with an estimate")
    func throttledPositions() throws {
        try run(
            "fix('drv_1', 0, 1, 1)", "fix('drv_1', 10, 2, 2, 'throttled')", "fix('drv_1', 20, 3, 3, 'throttled')",
            "fix('drv_1', 25, 9, 9, 'late')", "fix('drv_1', 30, 4, 4)",
            "trip_change('tr_1', 0, 'IN_PROGRESS')", "trip_change('tr_1', 40, 'COMPLETED')")
        #expect(
            try database.lines(
                "SELECT latitude, verdict FROM driver_track('drv_1', '2025-03-14 12:00Z', '2025-03-14 12:01Z')")
                == ["1|accepted", "2|throttled", "3|throttled", "4|accepted"])
        #expect(
            try database.lines("SELECT latitude, age_seconds FROM driver_position_at('drv_1', '2025-03-14 12:00:20Z')")
                == ["3|0"])
        #expect(
            try database.lines(
                "SELECT driver_id, fixes FROM drivers_near(2, 2, 100, '2025-03-14 12:00Z', '2025-03-14 12:01Z')")
                == ["drv_1|1"])
        let path = try #require(try database.connection.execute("SELECT trip_path('tr_1')").first?.string(0))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(path.utf8)) as? [String: Any])
        #expect(json["coordinates"] as? [[Double]] == [[1, 1], [2, 2], [3, 3], [4, 4]])
    }

    @Test(
        "a path is split at each crossing of the date line, in both directions",
        arguments: [
            (
                [179.5, -179.5, -179.0, 179.0],
                [
                    [[179.5, 0], [180, 5]], [[-180, 5], [-179.5, 10], [-179, 20], [-180, 25]],
                    [[180, 25], [179, 30]],
                ]
            ),
            ([180, -179], [[[180, 0], [180, 0]], [[-180, 0], [-179, 10]]]),
            ([-179, 180], [[[-179, 0], [-180, 10]], [[180, 10], [180, 10]]]),
            ([180, -180], [[[180, 0], [180, 0]], [[-180, 0], [-180, 10]]]),
        ] as [([Double], [[[Double]]])])
    func dateLine(longitudes: [Double], expected: [[[Double]]]) throws {
        for (index, longitude) in longitudes.enumerated() {
            try run("fix('drv_1', \(index * 10), \(index * 10), \(longitude))")
        }
        try run("trip_change('tr_1', 0, 'IN_PROGRESS')", "trip_change('tr_1', 60, 'COMPLETED')")
        let path = try #require(try database.connection.execute("SELECT trip_path('tr_1')").first?.string(0))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(path.utf8)) as? [String: Any])
        #expect(json["type"] as? String == "MultiLineString")
        #expect(json["coordinates"] as? [[[Double]]] == expected)
    }

    @Test("a trip's path is a GeoJSON line of its driver's positions during the trip, without fixes of other trips")
    func tripPath() throws {
        try run(
            "fix('drv_1', 0, 1, 1)", "fix('drv_1', 10, 2, 2)", "fix('drv_1', 20, 3, 3, 'accepted', 'tr_1')",
            "fix('drv_1', 25, 8, 8, 'accepted', 'tr_other')", "fix('drv_1', 30, 4, 4)", "fix('drv_2', 20, 9, 9)",
            "trip_change('tr_1', 10, 'ACCEPTED')", "trip_change('tr_1', 20, 'IN_PROGRESS')",
            "trip_change('tr_1', 29, 'COMPLETED')", "trip_change('tr_2', 100, 'ACCEPTED')")
        let path = try #require(try database.connection.execute("SELECT trip_path('tr_1')").first?.string(0))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(path.utf8)) as? [String: Any])
        #expect(json["type"] as? String == "LineString")
        #expect(json["coordinates"] as? [[Double]] == [[2, 2], [3, 3]])
        #expect(try database.lines("SELECT trip_path('tr_2'), trip_path('nobody')") == ["-|-"])
    }

    @Test("the distance of a running trip is measured along its positions while in progress")
    func runningDistance() throws {
        try run(
            "trip_change('tr_1', 0, 'ACCEPTED')", "trip_change('tr_1', 10, 'IN_PROGRESS', NULL, 1000)",
            "fix('drv_1', 5, 0.5, 0)", "fix('drv_1', 10, 1, 0)", "fix('drv_1', 20, 1.01, 0)", "fix('drv_1', 30, 1, 0)")
        let row = try #require(try database.connection.execute("SELECT * FROM trip_distance('tr_1')").first)
        #expect(abs(try row.double(3) - 0.02 * Self.degree) < 0.01)
        #expect(try row.boolean(6))
        #expect(try row.text(7) == "history")
    }

    @Test(
        "a route is long if it exceeds 1.3 times the planned distance and exceeds that distance by more than 500 m",
        arguments: [
            (driven: 2167.0, planned: 1667.0, isLong: false), (2167.2, 1667.0, true), (1300, 1000, false),
            (1600, 1000, true), (6500, 5000, false), (6501, 5000, true), (100, 10, false),
        ])
    func longRoute(driven: Double, planned: Double, isLong: Bool) throws {
        try run("trip_change('tr_1', 0, 'IN_PROGRESS')", "trip_change('tr_1', 9, 'COMPLETED', \(driven), \(planned))")
        let row = try #require(try database.connection.execute("SELECT * FROM trip_distance('tr_1')").first)
        #expect(try row.boolean(6) == isLong)
        #expect(try row.text(7) == "pipeline")
        #expect(try row.boolean(9) == false)
        #expect(try database.connection.execute("SELECT * FROM trip_distance('nobody')").rowCount == 0)
    }

    @Test("eta_accuracy compares predicted with actual arrival times, by horizon")
    func etaAccuracy() throws {
        try run(
            // tr_1 arrives at second 1000, predicted for second 940 (60 s too early) and for 1040 (40 s too late).
            "eta('tr_1', 840, 100, 50, false)", "eta('tr_1', 870, 170, 50, false)",
            "eta('tr_1', 1010, -10, 0, true)",
            // tr_2 has no passed stop, but completes at second 600, as predicted 200 s before.
            "eta('tr_2', 400, 200, 10, false)", "trip_change('tr_2', 600, 'COMPLETED')",
            // tr_3 never arrives.
            "eta('tr_3', 400, 200, 10, false)")
        #expect(
            try database.lines(
                """
                SELECT horizon, predictions, bias_seconds, mae_seconds, p50_seconds, p90_seconds, interval_coverage,
                    interval_seconds, within_benchmark
                FROM eta_accuracy('2025-03-14 12:00Z', '2025-03-14 13:00Z')
                """) == [
                    // Errors: 160 - 100 = 60 s (outside the interval 50..150, within the benchmark -30..90), and
                    // 130 - 170 = -40 s (inside the interval, outside the benchmark).
                    "0-3 min|2|10|50|50|58|0.5|100|0.5", "3-6 min|1|0|0|0|0|1|20|1", "6-10 min|0|-|-|-|-|-|-|-",
                    "10-15 min|0|-|-|-|-|-|-|-", "15-30 min|0|-|-|-|-|-|-|-",
                ])
    }

    @Test("warning_summary counts the warnings of a half-open period by code and action")
    func warningCounts() throws {
        try database.connection.execute(
            """
            INSERT INTO location_warnings (received_at, event_offset, event_part, kafka_partition, risk, driver_id, warning_code,
                action, message)
            SELECT timestamptz '2025-03-14 12:00Z' + make_interval(mins => n), n, 0, 0, n / 10.0, 'drv_' || n % 2,
                CASE WHEN n < 4 THEN 'TELEPORTATION' ELSE 'MOCK_LOCATION' END, 'FLAG', '' FROM generate_series(1, 5) n
            """)
        #expect(
            try database.lines(
                "SELECT warning_code, action, warnings, drivers, highest_risk FROM warning_summary('2025-03-14 12:00Z', '2025-03-14 12:05Z')"
            ) == ["TELEPORTATION|FLAG|3|2|0.3", "MOCK_LOCATION|FLAG|1|1|0.4"])
    }

    @Test("history_duplicates counts rows beyond the first row of an event")
    func duplicateEvents() throws {
        try run("fix('drv_1', 1, 1, 1)", "fix('drv_1', 2, 1, 1)", "fix('drv_1', 2, 1, 1)")
        #expect(
            try database.lines(
                "SELECT rows, duplicates FROM history_duplicates('2025-03-14', '2025-03-15') WHERE table_name = 'location_history'"
            ) == ["3|1"])
    }

    @Test("driver_track uses the index and does not scan the table")
    func indexUse() throws {
        try database.connection.executeScript(
            """
            SELECT fix('drv_' || n % 500, n, 1, 1) FROM generate_series(1, 20000) n;
            ANALYZE location_history;
            """)
        let plan = try database.lines(
            "EXPLAIN SELECT * FROM driver_track('drv_7', '2025-03-14 12:10Z', '2025-03-14 12:20Z')"
        ).joined(separator: "\n")
        #expect(plan.contains("location_history_2025_03_14_driver_id_fixed_at_idx"), "\(plan)")
        #expect(!plan.contains("Seq Scan on location_history_2025_03_14"), "\(plan)")
    }

    private func run(_ calls: String...) throws {
        for call in calls { try database.connection.execute("SELECT \(call)") }
    }
}
