import Foundation
import HistoryWorker
import Postgres
import Processing
import TestSupport
import Testing

@Suite(
    "History sink: fixed-lag smoothed positions", .blocking,
    .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistorySmoothingTests {
    private let database: HistoryDatabase
    private let drive: NoisyDrive
    private let expected: [String]

    private static let rows = "SELECT * FROM smoothed_locations ORDER BY event_offset, event_part"

    /// Computes the expected rows, which one sink writes to another database without a restart.
    init() throws {
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        drive = NoisyDrive(seconds: 120, seed: seed)
        database = try HistoryDatabase()
        let whole = try HistoryDatabase()
        _ = try whole.sink().write([drive.verdicts.batch()])
        expected = try whole.lines(Self.rows)
        try #require(expected.count > 150)
    }

    private var partition: SinkPartition { drive.verdicts.partition }

    private func rows() throws -> [String] { try database.lines(Self.rows) }

    /// Writes records up to offset `end` like a worker to which the partition was just assigned.
    @discardableResult
    private func writeAfterAssignment(_ sink: HistorySink, to end: Int64) throws -> SinkReport {
        let position = try sink.positions(of: [partition])[partition] ?? SinkPosition(next: 0)
        var batch = drive.verdicts.batch(from: position.readFrom, to: end)
        batch.from = position.next
        batch.to = max(end, position.next)
        batch.writtenBefore = position.next
        return try sink.write([batch])
    }

    @Test("smoothed rows are written after later fixes, and their mean error is over 10 % below that of the verdicts")
    func smoothedRowsAreMoreAccurate() throws {
        let sink = database.sink()
        _ = try sink.write([drive.verdicts.batch(to: 20)])
        #expect(try rows().isEmpty)
        _ = try sink.write([drive.verdicts.batch(from: 20)])
        #expect(try rows() == expected)
        let errors = try #require(
            try database.connection.execute(
                """
                SELECT sum(distance_meters(s.latitude, s.longitude, t.latitude, 11.5)),
                    sum(distance_meters(h.latitude, h.longitude, t.latitude, 11.5)), count(*)
                FROM smoothed_locations s JOIN location_history h USING (driver_id, fixed_at), LATERAL (
                    SELECT 48.1 + 10 * (extract(epoch FROM h.received_at) - $1::bigint / 1000) / 111195 AS latitude) t
                WHERE h.received_at > to_timestamp($1::bigint / 1000 + 10)
                """, [.integer(drive.verdicts.start)]
            ).first)
        #expect(try errors.integer(2) > 60)
        #expect(try errors.double(0) < 0.9 * errors.double(1))
    }

    @Test("sinks that replace each other at random records write the same rows as one sink")
    func takeoverAtRandomRecords() throws {
        var end: Int64 = 0
        while end < drive.verdicts.next {
            end = min(end + Int64.random(in: 1...60), drive.verdicts.next)
            let report = try writeAfterAssignment(database.sink(), to: end)
            #expect(report.repeated == 0 && report.superseded.isEmpty)
        }
        #expect(try rows() == expected)
        #expect(try database.number("SELECT count(*) FROM location_history") == drive.verdicts.next)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("reread records may arrive in parts, and leave the stored offset unchanged")
    func rereadInParts() throws {
        try writeAfterAssignment(database.sink(), to: 120)
        let sink = database.sink()
        let position = try #require(try sink.positions(of: [partition])[partition])
        #expect(position.next == 120 && position.readFrom < 100)
        for offset in position.readFrom..<120 {
            var batch = drive.verdicts.batch(from: offset, to: offset + 1)
            (batch.from, batch.to, batch.writtenBefore) = (120, 120, 120)
            let report = try sink.write([batch])
            #expect(report.written == 0 && report.repeated == 0)
        }
        #expect(try database.number("SELECT next_offset FROM sink_progress") == 120)
        _ = try sink.write([drive.verdicts.batch(from: 120)])
        #expect(try rows() == expected)
    }

    @Test("failed transactions write no rows, and the next attempt writes all of them once")
    func failedTransaction() throws {
        try database.connection.executeScript(
            """
            CREATE SEQUENCE faults;
            CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('faults') <= 2 THEN RAISE EXCEPTION 'injected' USING ERRCODE = '57P01'; END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER fault BEFORE UPDATE ON sink_progress FOR EACH ROW
                WHEN (OLD.next_offset = 60) EXECUTE FUNCTION fault();
            """)
        let sink = database.sink()
        _ = try sink.write([drive.verdicts.batch(to: 60)])
        for _ in 0..<2 {
            #expect(throws: PostgresError.self) { try sink.write([drive.verdicts.batch(from: 60)]) }
            #expect(try rows().isEmpty)
        }
        _ = try sink.write([drive.verdicts.batch(from: 60)])
        #expect(try rows() == expected)
    }

    @Test("rereading a partition from its beginning writes no row twice")
    func rereadFromBeginning() throws {
        try writeAfterAssignment(database.sink(), to: 130)
        let before = try rows()
        try database.connection.execute("UPDATE sink_progress SET next_offset = 0")
        let report = try writeAfterAssignment(database.sink(), to: 130)
        #expect(report.repeated == 130)
        #expect(try rows() == before)
        try writeAfterAssignment(database.sink(), to: drive.verdicts.next)
        #expect(try rows() == expected)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("records that a zombie upstream worker appended again are smoothed once")
    func zombieUpstream() throws {
        let repeated = NoisyDrive(seconds: 60, seed: 1).verdicts
        for offset in [110, 111, 40, 119] as [Int64] { repeated.repeatRecord(at: offset) }
        _ = try database.sink().write([repeated.batch(to: 122)])
        let sink = database.sink()
        let position = try #require(try sink.positions(of: [partition])[partition])
        var rest = repeated.batch(from: position.readFrom)
        (rest.from, rest.writtenBefore) = (122, 122)
        #expect(try sink.write([rest]).repeated == 2)
        let whole = try HistoryDatabase()
        #expect(try whole.sink().write([repeated.batch()]).repeated == 4)
        #expect(try rows() == whole.lines(Self.rows))
        #expect(try rows().count == 60)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("a worker of an older release without smoothing causes no gap and no duplicates in smoothed rows")
    func olderWriter() throws {
        try writeAfterAssignment(database.sink(), to: 80)
        // The older worker advances only the offset and the watermark in sink_progress.
        try database.connection.execute(
            "UPDATE sink_progress SET next_offset = 120, raw_event = $1",
            [.text("\(try #require(drive.verdicts.records[119].event))")])
        try writeAfterAssignment(database.sink(), to: drive.verdicts.next)
        #expect(try rows() == expected)
    }

    @Test("with smoothing disabled, nothing is smoothed or reread; once enabled, smoothing starts at the next record")
    func smoothingDisabled() throws {
        try writeAfterAssignment(database.sink(), to: 80)
        let before = try rows()
        try writeAfterAssignment(database.sink { $0.smoothsPaths = false }, to: 120)
        #expect(try rows() == before)
        let position = try database.sink().positions(of: [partition])[partition]
        #expect(position == SinkPosition(next: 120))
        try writeAfterAssignment(database.sink(), to: drive.verdicts.next)
        #expect(Set(try rows()).isSubset(of: Set(expected)))
        #expect(try rows().count > before.count)
        #expect(try database.duplicateCount() == 0)
    }

    @Test(
        "fixes that thinning skips have no smoothed position, also across restarts",
        arguments: [40, 75, 110] as [Int64])
    func smoothingWithThinning(stop: Int64) throws {
        func sink() -> HistorySink { database.sink { $0.minimumIntervalMilliseconds = 4000 } }
        try writeAfterAssignment(sink(), to: stop)
        try writeAfterAssignment(sink(), to: drive.verdicts.next)
        let stored = try database.lines(
            "SELECT s.* FROM smoothed_locations s JOIN location_history USING (driver_id, fixed_at)"
                + " ORDER BY s.event_offset, s.event_part")
        #expect(try rows() == stored)
        #expect(Set(stored).isSubset(of: Set(expected)))
        #expect(stored.count > expected.count / 5 && stored.count < expected.count / 3)
    }

    @Test("query functions prefer the smoothed position of a fix to the position of its verdict")
    func queriesPreferSmoothedPositions() throws {
        _ = try database.sink().write([drive.verdicts.batch()])
        let track = try database.lines(
            """
            SELECT is_smoothed, t.latitude = coalesce(s.latitude, h.latitude),
                t.accuracy_meters = coalesce(s.accuracy_meters, h.accuracy_meters)
            FROM driver_track('drv_0', '-infinity', 'infinity') t
            JOIN location_history h ON h.driver_id = 'drv_0' AND h.fixed_at = t.fixed_at
            LEFT JOIN smoothed_locations s ON s.driver_id = 'drv_0' AND s.fixed_at = t.fixed_at
            """)
        #expect(Set(track) == ["t|t|t", "f|t|t"])
        let at = try database.lines(
            """
            SELECT p.latitude = s.latitude, p.longitude = s.longitude
            FROM smoothed_locations s, driver_position_at('drv_1', s.fixed_at) p WHERE s.driver_id = 'drv_1'
            """)
        #expect(Set(at) == ["t|t"])
        let near = try database.lines(
            """
            SELECT n.closest_meters < 0.001, n.closest_at = s.fixed_at
            FROM (SELECT * FROM smoothed_locations WHERE driver_id = 'drv_0' ORDER BY fixed_at LIMIT 1) s,
                drivers_near(s.latitude, s.longitude, 1, s.fixed_at - interval '1 minute', s.fixed_at + interval '1 hour') n
            WHERE n.driver_id = 'drv_0'
            """)
        #expect(near == ["t|t"])
        #expect(
            try database.lines(
                "SELECT rows, duplicates FROM history_duplicates('-infinity', 'infinity') ORDER BY rows DESC LIMIT 2")
                == ["\(drive.verdicts.next)|0", "\(expected.count)|0"])
    }

    @Test("driver_track finds smoothed rows by index and only in the partitions of its period")
    func queryPlan() throws {
        _ = try database.sink().write([drive.verdicts.batch()])
        try database.connection.executeScript(
            """
            SELECT ensure_history_partitions(ARRAY[current_date - 30, current_date - 29]);
            INSERT INTO smoothed_locations SELECT received_at, fixed_at, event_offset, event_part, latitude, longitude,
                kafka_partition, heading, speed_mps, accuracy_meters, 'drv_' || n
            FROM smoothed_locations, generate_series(2, 200) n;
            INSERT INTO location_history (received_at, fixed_at, event_offset, event_part, raw_latitude, raw_longitude,
                kafka_partition, verdict, risk, driver_id, latitude, longitude)
            SELECT received_at, fixed_at, event_offset, event_part, latitude, longitude, kafka_partition,
                'accepted'::location_verdict, 0,
                driver_id, latitude, longitude FROM smoothed_locations;
            ANALYZE location_history, smoothed_locations;
            """)
        let plan = try database.lines(
            "EXPLAIN SELECT * FROM driver_track('drv_7', now() - interval '1 hour', now())"
        ).joined(separator: "\n")
        #expect(plan.contains(/smoothed_locations_\d{4}_\d\d_\d\d_driver_id_fixed_at_idx/), "\(plan)")
        #expect(!plan.contains("Seq Scan on smoothed_locations_2"), "\(plan)")
        let analysis = try database.lines(
            "EXPLAIN (ANALYZE, COSTS off) SELECT * FROM driver_track('drv_7', now() - interval '1 hour', now())"
        ).joined(separator: "\n")
        #expect(analysis.contains("Subplans Removed"), "\(analysis)")
    }

    @Test("maintenance drops expired partitions of smoothed_locations")
    func retentionOfSmoothedPositions() throws {
        try database.connection.executeScript(
            "SELECT ensure_history_partitions(ARRAY[current_date - 40, current_date])")
        let days = "SELECT count(*) FROM history_partitions('smoothed_locations') WHERE day < current_date - 30"
        #expect(try database.number(days) == 1)
        let sink = database.sink()
        try sink.connect()
        try sink.maintain(now: try sink.now())
        #expect(try database.number(days) == 0)
    }
}
