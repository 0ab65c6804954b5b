import Foundation
import HistoryWorker
import Postgres
import Support
import TestSupport
import Testing

@Suite("History: daily partitions", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryPartitionTests {
    private let database: HistoryDatabase
    private let locations = HistoryRecords(.locations)
    private let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))

    init() throws { database = try HistoryDatabase() }

    @Test("the first write creates the partitions of its days; rows outside the bounds go to the default partition")
    func partitionsOnWrite() throws {
        let yesterday = now.milliseconds - 86_400_000
        locations.addVerdict(of: "drv_1", receivedAt: now.milliseconds)
        locations.addVerdict(of: "drv_1", receivedAt: yesterday)
        locations.addVerdict(of: "drv_1", receivedAt: now.milliseconds + 30 * 86_400_000)
        locations.addVerdict(of: "drv_1", receivedAt: 1000)
        _ = try database.sink().write([locations.batch()])
        #expect(try days("location_history") == [day(yesterday), day(now.milliseconds)])
        #expect(try database.number("SELECT count(*) FROM location_history_default") == 2)
        #expect(try database.number("SELECT count(*) FROM location_history") == 4)
    }

    @Test("the sink's time for maintenance is the time of Postgres")
    func storeClock() throws {
        let query = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
        let before = try database.number(query)
        let now = try database.sink().now().milliseconds
        #expect(try (before...database.number(query)).contains(now))
    }

    @Test("maintenance creates partitions for today and the next three days in every table, and is idempotent")
    func partitionsAhead() throws {
        let sink = database.sink()
        try sink.maintain(now: now)
        let expected = (0...3).map { day(now.milliseconds + $0 * 86_400_000) }
        let tables = try database.lines("SELECT table_name FROM history_tables()")
        #expect(tables.count == 6)
        for table in tables {
            #expect(try days(table) == expected)
        }
        #expect(
            try database.lines("SELECT created, dropped, deleted FROM maintain_history_partitions('trip_events', 30)")
                == ["0|0|0"])
    }

    @Test("maintenance drops partitions, and deletes rows in the default partition, that are older than the retention")
    func expiredDays() throws {
        try database.connection.execute(
            """
            SELECT ensure_history_partitions(ARRAY(
                SELECT (now() AT TIME ZONE 'UTC')::date - d FROM unnest(ARRAY[29, 30, 31, 400]) d))
            """)
        locations.addVerdict(of: "drv_1", receivedAt: 1000)
        locations.addVerdict(of: "drv_1", receivedAt: now.milliseconds)
        let sink = database.sink()
        _ = try sink.write([locations.batch()])
        try sink.maintain(now: now)
        let oldest = try #require(try days("location_history").first)
        #expect(oldest == day(now.milliseconds - 30 * 86_400_000))
        #expect(try database.number("SELECT count(*) FROM location_history") == 1)
    }

    @Test("a retention of 0 keeps all partitions, and a negative retention is an error")
    func unlimitedRetention() throws {
        try database.connection.execute("SELECT create_history_partition('location_history', date '2014-03-01')")
        try database.sink { $0.retentionDays = 0 }.maintain(now: now)
        #expect(try days("location_history").first == "2014-03-01")
        #expect(throws: PostgresError.self) {
            try database.connection.execute("SELECT maintain_history_partitions('location_history', -1)")
        }
    }

    @Test("maintenance moves rows from the default partition to their day once no reader blocks it")
    func defaultRowsAreMoved() throws {
        let reader = try PostgresConnection(PostgresConfiguration(url: database.url))
        try reader.execute("BEGIN")
        try reader.execute("SELECT count(*) FROM location_history_default")
        locations.addVerdict(of: "drv_1", receivedAt: now.milliseconds)
        let sink = database.sink { $0.lockTimeout = .milliseconds(300) }
        #expect(try sink.write([locations.batch()]).written == 1)
        #expect(try database.number("SELECT count(*) FROM location_history_default") == 1)
        try sink.maintain(now: now)  // Moves nothing, because the reader still has its lock.
        #expect(try database.number("SELECT count(*) FROM location_history_default") == 1)
        try reader.execute("COMMIT")
        try sink.maintain(now: now)
        #expect(try database.number("SELECT count(*) FROM location_history_default") == 0)
        #expect(try database.number("SELECT count(*) FROM location_history") == 1)
    }

    @Test("six workers may run maintenance at the same time")
    func concurrentMaintenance() throws {
        let url = database.url
        let now = now
        let failures = SharedTexts()
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            do {
                try HistorySink(HistorySinkConfiguration(postgres: PostgresConfiguration(url: url))).maintain(now: now)
            } catch {
                failures.add("\(error)")
            }
        }
        #expect(failures.all == [])
        #expect(try days("location_history").count == 4)
    }

    private func days(_ table: String) throws -> [String] {
        try database.lines("SELECT day FROM history_partitions($1) ORDER BY day", [.text(table)])
    }

    private func day(_ milliseconds: Int64) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day], from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }
}

/// Thread-safe list of texts.
final class SharedTexts: @unchecked Sendable {
    // @unchecked: the lock guards the texts.
    private let lock = NSLock()
    private var texts: [String] = []

    func add(_ text: String) { lock.withLock { texts.append(text) } }
    var all: [String] { lock.withLock { texts } }
}
