import Foundation
import Postgres
import Support
import TestSupport
import Testing

@Suite("History: database roles", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryRoleTests {
    private let database: HistoryDatabase
    private let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))

    init() throws { database = try HistoryDatabase() }

    @Test("the role sightline_worker suffices for a sink that writes, thins and maintains")
    func workerRole() throws {
        try withUser(in: "sightline_worker") { url in
            let locations = HistoryRecords(.locations)
            for _ in 0..<3 { locations.addVerdict(of: "drv_1") }
            let sink = database.sink(url: url) { $0.minimumIntervalMilliseconds = 1 }
            _ = try sink.nextOffsets(of: [locations.partition])
            _ = try sink.write([locations.batch(to: 2)])
            _ = try sink.write([locations.batch(from: 2)])
            try sink.maintain(now: now)
            #expect(try database.number("SELECT count(*) FROM location_history") == 3)
        }
    }

    @Test(
        "statements beyond the tasks of history-worker are denied to sightline_worker",
        arguments: [
            "DROP TABLE location_history", "ALTER TABLE location_history ADD COLUMN more text",
            "TRUNCATE location_history", "DELETE FROM location_history", "UPDATE location_history SET driver_id = 'x'",
            "DELETE FROM sink_progress",
            "SELECT drop_history_partition('location_history', 'location_history_default')",
            "SELECT create_history_partition('location_history', current_date)", "SELECT grant_history_roles()",
            "CREATE TABLE mine (id integer)", "SELECT * FROM trip_events", "SELECT message FROM location_warnings",
            "UPDATE schema_migrations SET version = 0", "COPY location_history TO PROGRAM 'cat'",
            "SELECT maintain_history_partitions('location_history', 1)",
            "SELECT maintain_history_partitions('location_history', 6)",
            "SELECT maintain_history_partitions_unbounded('location_history', 30)",
            "CREATE OR REPLACE FUNCTION shortest_history_retention() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        ])
    func workerLimits(statement: String) throws {
        try withUser(in: "sightline_worker") { url in
            let connection = try PostgresConnection(PostgresConfiguration(url: url))
            let error = #expect(throws: PostgresError.self) { try connection.execute(statement) }
            #expect(error?.sqlState == "42501")
        }
    }

    @Test("workers may set a retention of 0 or at least 7 days; the owner also of 1 day", arguments: [0, 7, 8, 30])
    func shortestRetention(days: Int) throws {
        let statement = "SELECT maintain_history_partitions('location_history', \(days))"
        try withUser(in: "sightline_worker") { url in
            try PostgresConnection(PostgresConfiguration(url: url)).execute(statement)
        }
        try database.connection.execute("SELECT maintain_history_partitions('location_history', 1)")
    }

    @Test("sightline_reader may call query functions; writes are denied")
    func readerRole() throws {
        try withUser(in: "sightline_reader") { url in
            let connection = try PostgresConnection(PostgresConfiguration(url: url))
            for query in [
                "trip_path('t')", "driver_track('d', now(), now())", "driver_position_at('d', now())",
                "drivers_near(0, 0, 1, now(), now())", "trip_distance('t')", "eta_accuracy(now(), now())",
                "warning_summary(now(), now())", "history_duplicates(now(), now())",
            ] { try connection.execute("SELECT * FROM \(query)") }
            for statement in [
                "INSERT INTO sink_progress (sink, topic, kafka_partition, next_offset) VALUES ('s', 't', 0, 0)",
                "INSERT INTO trip_events DEFAULT VALUES", "UPDATE sink_progress SET next_offset = 0",
                "DELETE FROM location_history", "DROP TABLE eta_history", "CREATE TABLE mine (id integer)",
                "SELECT ensure_history_partitions(ARRAY[current_date])",
                "SELECT maintain_history_partitions('location_history', 1)",
            ] {
                let error = #expect(throws: PostgresError.self) { try connection.execute(statement) }
                #expect(error?.sqlState == "42501", "\(statement)")
            }
        }
    }

    @Test("ensure_history_partitions ignores the caller's temporary tables and search path")
    func searchPath() throws {
        try withUser(in: "sightline_worker") { url in
            let connection = try PostgresConnection(PostgresConfiguration(url: url))
            try connection.execute("CREATE TEMPORARY TABLE location_history_default (LIKE location_history)")
            try connection.execute("SET search_path = pg_temp, public")
            try connection.execute("SELECT ensure_history_partitions(ARRAY[current_date])")
            #expect(try connection.execute("SELECT 1 FROM pg_temp.location_history_default").rows.isEmpty)
            #expect(
                try database.number("SELECT count(*) FROM history_partitions('location_history')") >= 1,
                "the partition is in the schema of the migration")
        }
    }

    /// Calls `body` with the URL of a login user whose only role is `role`.
    private func withUser(in role: String, _ body: (String) throws -> Void) throws {
        let user = "\(database.name)_\(UInt32.random(in: 0...(.max)))"
        try database.connection.execute("CREATE ROLE \(user) \(TestServices.login) IN ROLE \(role)")
        defer { _ = try? database.connection.execute("DROP ROLE \(user)") }
        try body(try HistoryDatabase.address(database: database.name, user: user))
    }
}
