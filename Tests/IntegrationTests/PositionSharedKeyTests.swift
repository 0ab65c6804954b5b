import Domain
import TestSupport
import Testing

/// Keys that several partitions write: a route whose vehicles are in different partitions, and a driver or trip whose
/// partition changed.
@Suite("Position sink: keys of several partitions", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionSharedKeyTests {
    private let fixture: RedisFixture
    private let ahead = PositionRecords(.riderUpdates, partition: 1)
    private let behind = PositionRecords(.riderUpdates, partition: 2)

    init() throws {
        fixture = try RedisFixture()
        for _ in 0..<9 { ahead.addUpdate("vehicle_position", channel: "route:17", payload: #"{"vehicleNumber":"8"}"#) }
        for _ in 0..<4 { behind.addUpdate("vehicle_position", channel: "route:17", payload: #"{"vehicleNumber":"9"}"#) }
    }

    /// Returns the event ids in a stream.
    private func events(_ key: String = "route:17:events") throws -> [String] {
        try fixture.stream(key).map { $0.fields[1] }
    }

    private func events(of partition: Int32) throws -> [String] {
        try events().filter { $0.hasPrefix("\(partition)-") }
    }

    @Test("a route gets the updates of all its vehicles, regardless of the offsets of their partitions")
    func bothPartitions() throws {
        let sink = try fixture.sink()
        let first = try sink.write([ahead.batch(from: 0, to: 6), behind.batch(from: 0, to: 2)])
        let second = try sink.write([behind.batch(from: 2), ahead.batch(from: 6)])
        #expect(first.written == 8 && first.repeated == 0)
        #expect(second.written == 5 && second.repeated == 0)
        #expect(try events(of: 1) == (0..<9).map { "1-\($0)" })
        #expect(try events(of: 2) == (0..<4).map { "2-\($0)" })
        let hash = try fixture.hash("route:17")
        #expect(hash["watermark:1"] == "1-8 -" && hash["watermark:2"] == "2-3 -")
        #expect(hash["event_id"] == "1-8")
    }

    @Test("a route's stream contains the updates that two workers alternately write", arguments: [2, 1_000_000])
    func twoWorkers(cachedKeys: Int) throws {
        let sinks = try [ahead, behind].map { ($0, try fixture.sink { $0.cachedKeys = cachedKeys }) }
        for offset in Int64(0)..<9 {
            for (records, sink) in sinks where offset < records.next {
                #expect(try sink.write([records.batch(from: offset, to: offset + 1)]).written == 1)
            }
        }
        #expect(try events().prefix(4) == ["1-0", "2-0", "1-1", "2-1"])
        #expect(try events().count == 13)
    }

    @Test("rereading a partition duplicates nothing in a route that another partition has advanced")
    func rereadPartition() throws {
        let sink = try fixture.sink()
        _ = try sink.write([behind.batch(to: 3), ahead.batch(to: 5)])
        let before = try fixture.contents()
        try fixture.delete("progress:rider.updates:2")
        let other = try fixture.sink()
        #expect(try other.write([behind.batch(to: 2)]).written == 0)
        #expect(try other.write([behind.batch(from: 2, to: 3)]).written == 0)
        #expect(try fixture.contents() == before)
        #expect(try other.write([behind.batch(from: 3)]).written == 1)
        #expect(try events(of: 2) == ["2-0", "2-1", "2-2", "2-3"])
        #expect(try sink.write([ahead.batch(from: 5)]).written == 4)
    }

    @Test("a zombie writes nothing to a partition that another worker continued, and writes a route's other partition")
    func zombieWriter() throws {
        let zombie = try fixture.sink()
        _ = try zombie.write([behind.batch(to: 1), ahead.batch(to: 1)])
        _ = try fixture.sink().write([behind.batch(from: 1)])
        let report = try zombie.write([behind.batch(from: 1, to: 3), ahead.batch(from: 1)])
        #expect(report.superseded == [behind.partition])
        #expect(try events(of: 2) == (0..<4).map { "2-\($0)" })
        #expect(try events(of: 1) == (0..<9).map { "1-\($0)" })
        #expect(try fixture.hash("route:17")["watermark:2"] == "2-3 -")
    }

    @Test("a stream whose snapshot hash was lost contains no update twice", arguments: [1, 3, 9])
    func lostSnapshot(step: Int64) throws {
        _ = try fixture.sink().write([ahead.batch(), behind.batch(to: 2)])
        let before = try fixture.hash("route:17")
        for key in ["route:17", "progress:rider.updates:1", "progress:rider.updates:2"] { try fixture.delete(key) }
        for offset in stride(from: 0, to: 9, by: Int(step)).map(Int64.init) {
            // A new worker for each step, without cached state.
            let end = min(offset + step, 9)
            #expect(try fixture.sink().write([ahead.batch(from: offset, to: end)]).superseded.isEmpty)
        }
        #expect(try events(of: 1) == (0..<9).map { "1-\($0)" })
        _ = try fixture.sink().write([behind.batch()])
        #expect(try events(of: 2) == (0..<4).map { "2-\($0)" })
        #expect(try fixture.hash("route:17")["watermark:1"] == before["watermark:1"])
    }

    @Test("if only a trip's snapshot hash is lost, its stream stays complete")
    func lostSnapshotAlone() throws {
        let trips = PositionRecords(.riderUpdates, partition: 0)
        for event in [EventID(partition: 0, offset: 4), EventID(origin: .trips, partition: 0, offset: 1)] {
            for message in 0..<2 {
                trips.addUpdate("notification", channel: "trip:a", payload: "{}", event: event.withMessage(message))
            }
        }
        _ = try fixture.sink().write([trips.batch(to: 3)])
        try fixture.delete("trip:a")
        _ = try fixture.sink().write([trips.batch(from: 3)])
        #expect(try events("trip:a:events") == ["0-4", "0-4/1", "t0-1", "t0-1/1"])
    }

    @Test(
        "a driver whose partition changed is not reset by older records of the old partition", arguments: [1, 2000])
    func movedDriver(transactionRecords: Int) throws {
        let old = PositionRecords(.locations, partition: 5)
        let new = PositionRecords(.locations, partition: 0)
        for index in 0..<5 { old.addVerdict(of: "drv_1", latitude: 10 + Double(index)) }
        let last = PositionRecords.start + 4000
        for (latitude, received) in [(40.0, last - 1), (41, last), (42, last + 1)] {
            new.addVerdict(of: "drv_1", latitude: latitude, receivedAt: received)
        }
        func latitudes() throws -> [String] {
            try fixture.list("driver:drv_1:trail").compactMap { $0.split(separator: ",").first.map(String.init) }
        }
        let sink = try fixture.sink { $0.transactionRecords = transactionRecords }
        _ = try sink.write([old.batch(to: 3)])
        _ = try sink.write([old.batch(from: 3), new.batch()])
        #expect(try latitudes() == ["42", "14", "13", "12", "11", "10"])
        try fixture.delete("progress:driver.locations:5")
        #expect(try fixture.sink().write([old.batch()]).written == 0)
        #expect(try latitudes() == ["42", "14", "13", "12", "11", "10"])
        #expect(try fixture.hash("driver:drv_1")["event_id"] == "0-2")
    }

    @Test("a trip that another driver takes over continues in that driver's partition")
    func movedTrip() throws {
        let old = PositionRecords(.riderUpdates, partition: 3)
        let new = PositionRecords(.riderUpdates, partition: 0)
        for index in 0..<5 { old.addUpdate("driver_location", channel: "trip:a", payload: #"{"latitude":\#(index)}"#) }
        new.addUpdate("driver_location", channel: "trip:a", payload: #"{"latitude":70}"#)
        let sink = try fixture.sink()
        _ = try sink.write([old.batch()])
        _ = try sink.write([new.batch()])
        #expect(try events("trip:a:events").count == 6)
        #expect(try fixture.hash("trip:a")["position"] == #"{"latitude":70}"#)
    }
}
