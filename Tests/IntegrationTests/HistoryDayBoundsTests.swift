import Foundation
import Postgres
import Support
import TestSupport
import Testing

/// Days for which partitions may be created, relative to the server's current day.
///
/// The owner of the test database is not a superuser.
@Suite(
    "History: bounds of partition days", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryDayBoundsTests {
    private let database: HistoryDatabase
    private let locations = HistoryRecords(.locations)
    private let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    private static let day: Int64 = 86_400_000

    init() throws { database = try HistoryDatabase(hasPlainOwner: true) }

    /// Requests partitions as a user whose only role is `sightline_worker`, and returns the error, if any.
    private func ensure(_ days: String) throws -> PostgresError? {
        let user = "\(database.name)_worker"
        let admin = try PostgresConnection(PostgresConfiguration(url: try #require(HistoryDatabase.server)))
        try admin.execute("CREATE ROLE \(user) \(TestServices.login) IN ROLE sightline_worker")
        defer { _ = try? admin.execute("DROP ROLE \(user)") }
        let url = try HistoryDatabase.address(database: database.name, user: user)
        let connection = try PostgresConnection(PostgresConfiguration(url: url))
        defer { connection.close() }
        do {
            try connection.execute("SELECT ensure_history_partitions(\(days))")
            return nil
        } catch let error as PostgresError {
            return error
        }
    }

    private func partitions() throws -> Int64 {
        try database.number("SELECT count(*) FROM history_partitions('location_history')")
    }

    @Test("one call may request up to 32 days; 33 days are an error with both numbers", arguments: [31, 32, 33])
    func daysPerCall(count: Int) throws {
        let error = try ensure("ARRAY(SELECT (now() AT TIME ZONE 'UTC')::date - n FROM generate_series(1, \(count)) n)")
        if count <= 32 {
            #expect(error == nil)
            #expect(try partitions() == Int64(count))
        } else {
            #expect(error?.message.contains("33 days requested") == true, "\(String(describing: error))")
            #expect(error?.message.contains("at most 32") == true)
            #expect(error?.isRetriable == false)
            #expect(try partitions() == 0)
        }
    }

    @Test("a day that is requested 1,000 times in one call counts once")
    func repeatedDay() throws {
        #expect(try ensure("ARRAY(SELECT (now() AT TIME ZONE 'UTC')::date FROM generate_series(1, 1000))") == nil)
        #expect(try partitions() == 1)
    }

    @Test("400 days ago gets a partition; 401 days ago is an error with day and bound", arguments: [399, 400, 401])
    func earliestDay(days: Int) throws {
        let error = try ensure("ARRAY[(now() AT TIME ZONE 'UTC')::date - \(days)]")
        guard days > 400 else {
            #expect(error == nil)
            return #expect(try partitions() == 1)
        }
        for age in [401, 400] {
            let day = try #require(try database.lines("SELECT (now() AT TIME ZONE 'UTC')::date - \(age)").first)
            #expect(error?.message.contains(day) == true, "\(String(describing: error))")
        }
        #expect(error?.message.contains("before the earliest day") == true)
        #expect(try partitions() == 0)
    }

    @Test("7 days ahead gets a partition; 8 days ahead is an error with day and bound", arguments: [6, 7, 8])
    func latestDay(days: Int) throws {
        let error = try ensure("ARRAY[(now() AT TIME ZONE 'UTC')::date + \(days)]")
        guard days > 7 else {
            #expect(error == nil)
            return #expect(try partitions() == 1)
        }
        for ahead in [8, 7] {
            let day = try #require(try database.lines("SELECT (now() AT TIME ZONE 'UTC')::date + \(ahead)").first)
            #expect(error?.message.contains(day) == true, "\(String(describing: error))")
        }
        #expect(error?.message.contains("after the latest day") == true)
        #expect(try partitions() == 0)
    }

    @Test(
        "null and infinite days are errors",
        arguments: ["ARRAY[NULL::date]", "ARRAY['infinity'::date]", "ARRAY['-infinity'::date]"])
    func invalidDay(days: String) throws {
        #expect(try ensure(days) != nil)
        #expect(try partitions() == 0)
    }

    @Test("a call without days creates nothing", arguments: ["NULL", "'{}'"])
    func noDays(days: String) throws {
        #expect(try ensure(days) == nil)
        #expect(try partitions() == 0)
    }

    @Test("a call with 3,001 days is an error, and creates no partition")
    func manyDays() throws {
        let error = try ensure("ARRAY(SELECT (now() AT TIME ZONE 'UTC')::date - n FROM generate_series(0, 3000) n)")
        #expect(error?.message.contains("3001 days requested") == true, "\(String(describing: error))")
        #expect(try partitions() == 0)
    }

    @Test("bounds that the owner replaced apply to workers")
    func ownerBounds() throws {
        let boundsOf2014 = """
            CREATE OR REPLACE FUNCTION history_day_bounds(OUT earliest date, OUT latest date, OUT most integer)
            LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT date '2014-01-01', date '2014-12-31', 1 $$
            """
        try database.connection.execute(boundsOf2014)
        #expect(try ensure("ARRAY[date '2014-03-01']") == nil)
        #expect(try partitions() == 1)
        #expect(try ensure("ARRAY[current_date]")?.message.contains("2014-12-31") == true)
    }

    @Test("a write of 40 days creates 32 partitions; the other rows are in the default partition until maintenance")
    func manyDaysWritten() throws {
        for age in (0..<40).reversed() {
            locations.addVerdict(of: "drv_1", receivedAt: now.milliseconds - Int64(age) * Self.day)
        }
        let sink = database.sink { $0.retentionDays = 0 }
        let report = try sink.write([locations.batch()])
        #expect(report.written == 40 && report.outsideDays == 0)
        #expect(try partitions() == 32)
        #expect(try database.number("SELECT count(*) FROM location_history_default") == 8)
        #expect(try database.number("SELECT count(*) FROM location_history") == 40)
        try sink.maintain(now: now)
        #expect(try database.number("SELECT count(*) FROM location_history_default") == 0)
        #expect(try database.number("SELECT count(*) FROM location_history") == 40)
    }

    @Test("rows of days outside the bounds are written, counted, found by queries, and kept by maintenance")
    func outsideDays() throws {
        for days: Int64 in [-20_000, -401, -400, 0, 7, 8, 36_500] {
            locations.addVerdict(of: "drv_1", receivedAt: max(0, now.milliseconds + days * Self.day))
        }
        let sink = database.sink { $0.retentionDays = 0 }
        let report = try sink.write([locations.batch()])
        #expect(report.written == 7 && report.outsideDays == 4)
        for _ in 0..<2 {
            #expect(try partitions() >= 3)
            #expect(try database.number("SELECT count(*) FROM location_history_default") == 4)
            #expect(
                try database.number("SELECT count(*) FROM driver_track('drv_1', '-infinity', 'infinity', true)") == 7)
            try sink.maintain(now: now)
        }
    }

    @Test("rows older than the retention are written, counted, and deleted by the next maintenance")
    func olderThanRetention() throws {
        for days: Int64 in [-31, -30, 0] {
            locations.addVerdict(of: "drv_1", receivedAt: now.milliseconds + days * Self.day)
        }
        let sink = database.sink()
        let report = try sink.write([locations.batch()])
        #expect(report.written == 3 && report.outsideDays == 1)
        #expect(try database.number("SELECT count(*) FROM location_history") == 3)
        try sink.maintain(now: now)
        #expect(try database.number("SELECT count(*) FROM location_history") == 2)
    }

    @Test("maintenance drops, or moves from the default partition, at most 32 days per call; the next call continues")
    func maintenancePerCall() throws {
        try database.connection.execute(
            """
            SELECT create_history_partition('trip_events', (now() AT TIME ZONE 'UTC')::date - n)
            FROM generate_series(100, 139) n
            """)
        func maintain() throws -> String? {
            try database.lines("SELECT created, dropped FROM maintain_history_partitions('trip_events', 30)").first
        }
        #expect(try maintain() == "4|32")
        #expect(try maintain() == "0|8")
        #expect(try maintain() == "0|0")

        try database.connection.execute(
            """
            INSERT INTO trip_events (computed_at, changed_at, event_offset, event_part, kafka_partition, event_is_trip,
                is_long_route, trip_id, driver_id, kind, state)
            SELECT now() - make_interval(days => n), now(), n, 0, 0, true, false, 't', 'd', 'ride', 'REQUESTED'
            FROM generate_series(40, 79) n
            """)
        func move() throws -> String? {
            try database.lines("SELECT created, dropped FROM maintain_history_partitions('trip_events', 0)").first
        }
        #expect(try move() == "32|0")
        #expect(try move() == "8|0")
        #expect(try database.number("SELECT count(*) FROM trip_events_default") == 0)
        #expect(try database.number("SELECT count(*) FROM trip_events") == 40)
    }
}
