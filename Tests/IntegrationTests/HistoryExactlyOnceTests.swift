import Domain
import Foundation
import HistoryWorker
import Postgres
import Processing
import TestSupport
import Testing

@Suite("History sink: exactly once", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryExactlyOnceTests {
    private let database: HistoryDatabase
    private let locations = HistoryRecords(.locations)
    private let warnings = HistoryRecords(.warnings)

    init() throws { database = try HistoryDatabase() }

    @Test("clocks say where each partition goes on, and partitions never written are absent")
    func clocks() throws {
        for _ in 0..<3 { locations.addVerdict(of: "drv_1") }
        let sink = database.sink()
        #expect(try sink.nextOffsets(of: []).isEmpty)
        #expect(try sink.nextOffsets(of: [locations.partition, warnings.partition]).isEmpty)
        #expect(try sink.write([locations.batch(to: 2)]).written == 2)
        #expect(try sink.nextOffsets(of: [locations.partition, warnings.partition]) == [locations.partition: 2])
        #expect(try sink.write([locations.batch(from: 2)]).written == 1)
        #expect(try database.number("SELECT count(*) FROM location_history") == 3)
    }

    @Test(
        "records that a zombie upstream appended twice are dropped, with a clock header and without",
        arguments: [true, false])
    func zombieUpstream(hasClock: Bool) throws {
        for event in [0, 1, 2, 1, 2, 3] as [Int64] {
            locations.addVerdict(of: "drv_1", event: event, hasClock: hasClock)
        }
        let sink = database.sink()
        let first = try sink.write([locations.batch(to: 4)])
        let second = try sink.write([locations.batch(from: 4)])
        #expect(first.repeated == 1)
        #expect(second.repeated == 1)
        #expect(first.written == 3)
        #expect(second.written == 1)
        #expect(
            try database.lines("SELECT event_offset FROM location_history ORDER BY event_offset")
                == ["0", "1", "2", "3"])
        #expect(try database.lines("SELECT next_offset, raw_event, trip_event FROM sink_progress") == ["6|0-3|-"])
    }

    @Test("a writer whose partition moved on is told so, and its other partitions are written")
    func zombieWriter() throws {
        for _ in 0..<4 { locations.addVerdict(of: "drv_1") }
        warnings.addWarning(of: "drv_1", LocationWarning(reason: .teleportation, action: .reject))
        let zombie = database.sink()
        _ = try zombie.write([locations.batch(to: 1)])
        _ = try database.sink().write([locations.batch(from: 1, to: 3)])
        let report = try zombie.write([locations.batch(from: 1, to: 2), warnings.batch()])
        #expect(report.superseded == [locations.partition])
        #expect(report.written == 1)
        #expect(try database.number("SELECT count(*) FROM location_history") == 3)
        #expect(try database.number("SELECT count(*) FROM location_warnings") == 1)
        let clock = try #require(try zombie.nextOffsets(of: [locations.partition])[locations.partition])
        #expect(clock == 3)
        #expect(try zombie.write([locations.batch(from: clock)]).superseded.isEmpty)
        #expect(try database.doubled() == 0)
    }

    @Test("a topic that has lost its end and is read again writes nothing twice: the events stay, the offset goes back")
    func lostEnd() throws {
        for event in 0..<5 { locations.addVerdict(of: "drv_1", event: Int64(event)) }
        let sink = database.sink()
        _ = try sink.write([locations.batch()])
        // What was at offsets 2 to 4 is at 0 to 2 now, and a new record follows.
        let again = HistoryRecords(.locations)
        for event in 2..<6 { again.addVerdict(of: "drv_1", event: Int64(event)) }
        let report = try sink.write([
            PartitionBatch(partition: again.partition, records: again.records, from: 5, to: 4)
        ])
        #expect(report.superseded == [] && report.repeated == 3)
        #expect(try database.number("SELECT count(*) FROM location_history") == 6)
        #expect(try database.number("SELECT next_offset FROM sink_progress") == 4)
        #expect(try database.doubled() == 0)
    }

    @Test("two batches of one partition in one call follow each other; one that leaves a gap is superseded")
    func twoBatches() throws {
        for _ in 0..<6 { locations.addVerdict(of: "drv_1") }
        let report = try database.sink().write([
            locations.batch(to: 2), locations.batch(from: 2, to: 4), locations.batch(from: 5),
        ])
        #expect(report.written == 4)
        #expect(report.superseded == [locations.partition])
        #expect(try database.number("SELECT next_offset FROM sink_progress") == 4)
    }

    @Test("a connection that dies between the copy and the commit leaves nothing, and the next try writes all once")
    func dyingBeforeCommit() throws {
        for _ in 0..<5 { locations.addVerdict(of: "drv_1") }
        try installFault("BEFORE UPDATE ON sink_progress", times: 2)
        let sink = database.sink()
        for _ in 0..<2 {
            let error = #expect(throws: PostgresError.self) { try sink.write([self.locations.batch()]) }
            #expect(error?.isRetriable == true)
            #expect(try database.number("SELECT count(*) FROM location_history") == 0)
        }
        #expect(try sink.write([locations.batch()]).written == 5)
        #expect(try database.doubled() == 0)
    }

    @Test("a connection that dies in the middle of a copy leaves nothing, and the next try writes all once")
    func dyingInCopy() throws {
        for _ in 0..<3000 { locations.addVerdict(of: "drv_1") }
        try installFault(
            "BEFORE INSERT ON location_history", condition: "NEW.event_offset = 2000", times: 1)
        let sink = database.sink()
        let error = #expect(throws: PostgresError.self) { try sink.write([self.locations.batch()]) }
        #expect(error?.isRetriable == true)
        #expect(try database.number("SELECT count(*) FROM location_history") == 0)
        #expect(try sink.write([locations.batch()]).written == 3000)
        #expect(try database.doubled() == 0)
    }

    @Test("wherever the network is cut, everything is written once")
    func cutAnywhere() throws {
        for index in 0..<1500 { locations.addVerdict(of: "drv_\(index % 7)") }
        for _ in 0..<20 { warnings.addWarning(of: "drv_1", LocationWarning(reason: .mockLocation, action: .flag)) }
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        // A whole delivery is over 250 kB towards the server and 3 kB back; the first cut comes in any case.
        let first = CuttingProxy.Limit(direction: .toServer, bytes: 100_000)
        let limits =
            [first]
            + (0..<24).map { _ in
                Bool.random(using: &random)
                    ? CuttingProxy.Limit(direction: .toServer, bytes: Int.random(in: 1...250_000, using: &random))
                    : CuttingProxy.Limit(direction: .toClient, bytes: Int.random(in: 1...3_000, using: &random))
            }
        let proxy = try CuttingProxy(to: try HistoryDatabase.endpoint(), limits: limits)
        defer { proxy.stop() }
        let sink = database.sink(url: try HistoryDatabase.address(database: database.name, port: Int(proxy.port)))
        let failures = try deliver([locations, warnings], to: sink, batchSize: 400)
        #expect(failures > 0)
        #expect(try database.number("SELECT count(*) FROM location_history") == 1500)
        #expect(try database.number("SELECT count(*) FROM location_warnings") == 20)
        #expect(try database.doubled() == 0)
    }

    @Test("two workers that both believe to hold a partition write everything once between them")
    func rivals() throws {
        for index in 0..<400 { locations.addVerdict(of: "drv_\(index % 5)") }
        let sinks = [database.sink(), database.sink()]
        var next: [Int64] = [0, 0]
        var supersessions = 0
        var turn = 0
        while next.contains(where: { $0 < locations.next }) {
            turn = (turn + 1) % 3
            let who = turn == 0 ? 0 : 1
            guard next[who] < locations.next else { continue }
            let report = try sinks[who].write([
                locations.batch(from: next[who], to: min(next[who] + 30, locations.next))
            ])
            if report.superseded.isEmpty {
                next[who] = min(next[who] + 30, locations.next)
            } else {
                supersessions += 1
                next[who] = try sinks[who].nextOffsets(of: [locations.partition])[locations.partition] ?? 0
            }
        }
        #expect(supersessions > 0)
        #expect(try database.number("SELECT count(*) FROM location_history") == 400)
        #expect(try database.doubled() == 0)
    }

    @Test("a writer frozen in the middle of a copy is ended, and its partition goes on")
    func frozenWriter() throws {
        locations.addVerdict(of: "drv_1")
        locations.addVerdict(of: "drv_1")
        let sink = database.sink {
            $0.lockTimeout = .milliseconds(1500)
            $0.frozenWriterAge = .seconds(1)
        }
        _ = try sink.write([locations.batch(to: 1)])
        let frozen = try PostgresConnection(PostgresConfiguration(url: database.url))
        try frozen.execute("BEGIN")
        try frozen.execute("SELECT * FROM sink_progress FOR UPDATE")
        try frozen.startCopyIn("COPY location_warnings FROM STDIN (FORMAT binary)")
        let error = #expect(throws: PostgresError.self) { try sink.write([self.locations.batch(from: 1)]) }
        #expect(error?.sqlState == "55P03")
        #expect(error?.isRetriable == true)
        #expect(try sink.write([locations.batch(from: 1)]).written == 1)
        frozen.close()
    }

    /// Makes Postgres end the connection that fires the trigger, the first `times` times, whatever is rolled back.
    private func installFault(_ trigger: String, condition: String = "true", times: Int) throws {
        try database.connection.executeScript(
            """
            CREATE SEQUENCE fault_count;
            CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF \(condition) AND nextval('fault_count') <= \(times) THEN
                    PERFORM pg_terminate_backend(pg_backend_pid());
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER fault \(trigger) FOR EACH ROW EXECUTE FUNCTION fault();
            """)
    }

    /// Delivers all records as a worker does: the same batch again after an error, from the stored clock when
    /// superseded.
    /// - Returns: how many tries failed.
    private func deliver(_ sources: [HistoryRecords], to sink: HistorySink, batchSize: Int64) throws -> Int {
        var next: [SinkPartition: Int64] = [:]
        var failures = 0
        while sources.contains(where: { (next[$0.partition] ?? 0) < $0.next }) {
            let batches = sources.filter { (next[$0.partition] ?? 0) < $0.next }.map { source in
                let from = next[source.partition] ?? 0
                return source.batch(from: from, to: min(from + batchSize, source.next))
            }
            do {
                let report = try sink.write(batches)
                for batch in batches where !report.superseded.contains(batch.partition) {
                    next[batch.partition] = batch.to
                }
                if !report.superseded.isEmpty {
                    let clocks = try sink.nextOffsets(of: report.superseded)
                    for partition in report.superseded { next[partition] = clocks[partition] ?? 0 }
                }
            } catch let error as PostgresError where error.isRetriable {
                failures += 1
                try #require(failures < 100, "\(error)")
            }
        }
        return failures
    }
}

/// SplitMix64: the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
