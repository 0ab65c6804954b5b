import Foundation
import HistoryWorker
import Postgres
import Processing
import TestSupport
import Testing

@testable import Domain

@Suite("History sink: exactly once", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryExactlyOnceTests {
    private let database: HistoryDatabase
    private let locations = HistoryRecords(.locations)
    private let warnings = HistoryRecords(.warnings)

    init() throws { database = try HistoryDatabase() }

    @Test("each written partition has a stored offset, and unwritten partitions have none")
    func storedOffsets() throws {
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
        "duplicates that a zombie upstream worker appended are dropped, with and without an event header",
        arguments: [true, false])
    func zombieUpstream(hasEventHeader: Bool) throws {
        for event in [0, 1, 2, 1, 2, 3] as [Int64] {
            locations.addVerdict(of: "drv_1", event: event, hasEventHeader: hasEventHeader)
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

    @Test("a zombie writes nothing to a partition that another worker continued, and writes its other partitions")
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
        let next = try #require(try zombie.nextOffsets(of: [locations.partition])[locations.partition])
        #expect(next == 3)
        #expect(try zombie.write([locations.batch(from: next)]).superseded.isEmpty)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("rereading a truncated topic writes nothing twice, because the watermark does not decrease with the offset")
    func truncatedTopic() throws {
        for event in 0..<5 { locations.addVerdict(of: "drv_1", event: Int64(event)) }
        let sink = database.sink()
        _ = try sink.write([locations.batch()])
        // The records of offsets 2 to 4 are now at offsets 0 to 2, followed by a new record.
        let truncated = HistoryRecords(.locations)
        for event in 2..<6 { truncated.addVerdict(of: "drv_1", event: Int64(event)) }
        let report = try sink.write([
            PartitionBatch(partition: truncated.partition, records: truncated.records, from: 5, to: 4)
        ])
        #expect(report.superseded == [] && report.repeated == 3)
        #expect(try database.number("SELECT count(*) FROM location_history") == 6)
        #expect(try database.number("SELECT next_offset FROM sink_progress") == 4)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("one call may write consecutive batches of a partition; a batch after a gap is superseded")
    func consecutiveBatches() throws {
        for _ in 0..<6 { locations.addVerdict(of: "drv_1") }
        let report = try database.sink().write([
            locations.batch(to: 2), locations.batch(from: 2, to: 4), locations.batch(from: 5),
        ])
        #expect(report.written == 4)
        #expect(report.superseded == [locations.partition])
        #expect(try database.number("SELECT next_offset FROM sink_progress") == 4)
    }

    @Test("a connection lost before the commit writes nothing, and a later attempt writes everything once")
    func connectionLostBeforeCommit() throws {
        for _ in 0..<5 { locations.addVerdict(of: "drv_1") }
        try installFault("BEFORE UPDATE ON sink_progress", times: 2)
        let sink = database.sink()
        for _ in 0..<2 {
            let error = #expect(throws: PostgresError.self) { try sink.write([self.locations.batch()]) }
            #expect(error?.isRetriable == true)
            #expect(try database.number("SELECT count(*) FROM location_history") == 0)
        }
        #expect(try sink.write([locations.batch()]).written == 5)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("a connection lost during COPY writes nothing, and the next attempt writes everything once")
    func connectionLostDuringCopy() throws {
        for _ in 0..<3000 { locations.addVerdict(of: "drv_1") }
        try installFault(
            "BEFORE INSERT ON location_history", condition: "NEW.event_offset = 2000", times: 1)
        let sink = database.sink()
        let error = #expect(throws: PostgresError.self) { try sink.write([self.locations.batch()]) }
        #expect(error?.isRetriable == true)
        #expect(try database.number("SELECT count(*) FROM location_history") == 0)
        #expect(try sink.write([locations.batch()]).written == 3000)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("wherever the network is cut, everything is written once")
    func cutAnywhere() throws {
        for index in 0..<1500 { locations.addVerdict(of: "drv_\(index % 7)") }
        for _ in 0..<20 { warnings.addWarning(of: "drv_1", LocationWarning(reason: .mockLocation, action: .flag)) }
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        // A complete delivery sends over 250 kB and receives 3 kB, so the first limit always cuts.
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
        #expect(try database.duplicateCount() == 0)
    }

    @Test("two workers that alternately write the same partition write every record once")
    func alternatingWriters() throws {
        for index in 0..<400 { locations.addVerdict(of: "drv_\(index % 5)") }
        let sinks = [database.sink(), database.sink()]
        var next: [Int64] = [0, 0]
        var supersessions = 0
        var step = 0
        while next.contains(where: { $0 < locations.next }) {
            step = (step + 1) % 3
            let writer = step == 0 ? 0 : 1
            guard next[writer] < locations.next else { continue }
            let report = try sinks[writer].write([
                locations.batch(from: next[writer], to: min(next[writer] + 30, locations.next))
            ])
            if report.superseded.isEmpty {
                next[writer] = min(next[writer] + 30, locations.next)
            } else {
                supersessions += 1
                next[writer] = try sinks[writer].nextOffsets(of: [locations.partition])[locations.partition] ?? 0
            }
        }
        #expect(supersessions > 0)
        #expect(try database.number("SELECT count(*) FROM location_history") == 400)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("a writer that is frozen during COPY is terminated, and its partition continues")
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

    /// Makes Postgres terminate the connection that fires a trigger, the first `times` times.
    ///
    /// Rollbacks do not reset the count.
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

    /// Delivers all records like a worker, and returns the number of failed attempts.
    ///
    /// Repeats batches after a retriable error; continues superseded partitions at their stored offset.
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
                    let stored = try sink.nextOffsets(of: report.superseded)
                    for partition in report.superseded { next[partition] = stored[partition] ?? 0 }
                }
            } catch let error as PostgresError where error.isRetriable {
                failures += 1
                try #require(failures < 100, "\(error)")
            }
        }
        return failures
    }
}
