import Foundation
import Processing
import Redis
import TestSupport
import Testing

@Suite("Position sink: exactly once", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionExactlyOnceTests {
    private let fixture: RedisFixture
    private let positions = PositionRecords(.locations)
    private let updates = PositionRecords(.riderUpdates)

    init() throws { fixture = try RedisFixture() }

    @Test("each written partition has a stored offset, and unwritten partitions have none")
    func storedOffsets() throws {
        for _ in 0..<3 { positions.addVerdict(of: "drv_1") }
        let sink = try fixture.sink()
        #expect(try sink.nextOffsets(of: []).isEmpty)
        #expect(try sink.nextOffsets(of: [positions.partition, updates.partition]).isEmpty)
        _ = try sink.write([positions.batch(to: 2)])
        #expect(try sink.nextOffsets(of: [positions.partition, updates.partition]) == [positions.partition: 2])
    }

    @Test("duplicates that a zombie upstream worker appended are dropped")
    func zombieUpstream() throws {
        for event in [0, 1, 2, 1, 2, 3] {
            positions.addVerdict(of: "drv_1", latitude: 10 + Double(event), event: Int64(event))
        }
        let sink = try fixture.sink()
        let first = try sink.write([positions.batch(to: 4)])
        let second = try sink.write([positions.batch(from: 4)])
        #expect(first.repeated == 1)
        #expect(second.repeated == 1)
        let latitudes = try fixture.list("driver:drv_1:trail").compactMap { $0.split(separator: ",").first }
        #expect(latitudes == ["13", "12", "11", "10"])
        #expect(try fixture.text("progress:driver.locations:0") == "6 0-3 -")
    }

    @Test("rereading a truncated topic writes nothing twice, because the watermark does not decrease with the offset")
    func truncatedTopic() throws {
        for event in 0..<6 { positions.addVerdict(of: "drv_1", latitude: 10 + Double(event), event: Int64(event)) }
        let sink = try fixture.sink()
        _ = try sink.write([positions.batch(to: 5)])
        // The records of offsets 2 to 4 are now at offsets 0 to 2, followed by a new record.
        let truncated = PositionRecords(.locations)
        for event in 2..<6 { truncated.addVerdict(of: "drv_1", latitude: 10 + Double(event), event: Int64(event)) }
        let report = try sink.write([
            PartitionBatch(partition: truncated.partition, records: truncated.records, from: 5, to: 4)
        ])
        #expect(report.superseded == [] && report.repeated == 3)
        #expect(try fixture.list("driver:drv_1:trail").count == 6)
        #expect(try fixture.text("progress:driver.locations:0") == "4 0-5 -")
    }

    @Test("after topics are recreated and their progress deleted, drivers are updated again")
    func recreatedTopics() throws {
        for event in 100..<103 { positions.addVerdict(of: "drv_1", latitude: 10, event: Int64(event)) }
        _ = try fixture.sink().write([positions.batch()])
        try fixture.delete("progress:driver.locations:0")
        let later = PositionRecords(.locations)
        later.addVerdict(of: "drv_1", latitude: 20, event: 0, receivedAt: PositionRecords.start + 3_600_000)
        let report = try fixture.sink().write([later.batch()])
        #expect(report.repeated == 0 && report.superseded == [])
        #expect(try fixture.hash("driver:drv_1")["lat"]?.hasPrefix("20") == true)
        #expect(try fixture.hash("driver:drv_1")["event_id"] == "0-0")
        #expect(try fixture.list("driver:drv_1:trail").count == 4)
    }

    @Test(
        "a zombie writes nothing to a partition that another worker continued, and writes its other partitions",
        arguments: [1, 2000])
    func zombieWriter(transactionRecords: Int) throws {
        for _ in 0..<4 { positions.addVerdict(of: "drv_1") }
        for _ in 0..<2 { updates.addUpdate("notification", channel: "trip:a", payload: "{}") }
        let zombie = try fixture.sink { $0.transactionRecords = transactionRecords }
        _ = try zombie.write([positions.batch(to: 1)])
        _ = try fixture.sink().write([positions.batch(from: 1, to: 3)])
        let before = try fixture.hash("driver:drv_1")
        let report = try zombie.write([positions.batch(from: 1, to: 2), updates.batch()])
        #expect(report.superseded == [positions.partition])
        #expect(report.written == 2)
        #expect(try fixture.hash("driver:drv_1") == before)
        #expect(try fixture.stream("trip:a:events").count == 2)
        #expect(try fixture.text("progress:driver.locations:0")?.hasPrefix("3 ") == true)
        #expect(try zombie.nextOffsets(of: [positions.partition])[positions.partition] == 3)
        #expect(try zombie.write([positions.batch(from: 3)]).superseded.isEmpty)
    }

    @Test("a superseded batch writes nothing, and the sink stays usable")
    func supersededWrite() throws {
        for _ in 0..<2 { positions.addVerdict(of: "drv_1") }
        let sink = try fixture.sink()
        let report = try sink.write([positions.batch(from: 1)])
        #expect(report.superseded == [positions.partition])
        #expect(try fixture.keys().isEmpty)
        #expect(try sink.write([positions.batch()]).superseded.isEmpty)
    }

    @Test("after Redis is emptied, its contents are rebuilt from the beginning")
    func emptiedRedis() throws {
        for index in 0..<5 { positions.addVerdict(of: "drv_\(index % 2)") }
        let sink = try fixture.sink()
        _ = try sink.write([positions.batch(to: 3)])
        let before = try fixture.contents()
        try fixture.deleteAll()
        #expect(try sink.write([positions.batch(from: 3)]).superseded == [positions.partition])
        #expect(try sink.nextOffsets(of: [positions.partition]).isEmpty)
        _ = try sink.write([positions.batch(to: 3)])
        #expect(try fixture.contents() == before)
        #expect(try fixture.secondsToLive("driver:drv_0") > 0)
    }

    @Test("a partition that lost only its progress is reread without duplicates or older positions")
    func lostProgress() throws {
        for index in 0..<20 { positions.addVerdict(of: "drv_\(index % 3)", latitude: 10 + Double(index) / 100) }
        for index in 0..<20 {
            updates.addUpdate("driver_location", channel: "trip:\(index % 3)", payload: #"{"latitude":\#(index)}"#)
        }
        _ = try fixture.sink().write([positions.batch(), updates.batch()])
        let before = try fixture.contents()
        try fixture.delete("progress:driver.locations:0")
        try fixture.delete("progress:rider.updates:0")
        let sink = try fixture.sink()
        for offset in stride(from: Int64(0), to: 20, by: 6) {
            let end = min(offset + 6, 20)
            let report = try sink.write([
                positions.batch(from: offset, to: end), updates.batch(from: offset, to: end),
            ])
            #expect(report.written == 0)
            let hash = try fixture.hash("driver:drv_1")
            #expect(hash["event_id"] == "0-19")
        }
        #expect(try fixture.contents() == before)
    }

    @Test("a key of another type is a fatal error that contains the prefix setting")
    func keyOfAnotherType() throws {
        positions.addVerdict(of: "drv_1")
        try fixture.redis.call("SET", "\(fixture.prefix)driver:drv_1", "mine")
        let error = #expect(throws: RedisError.self) { try fixture.sink().write([positions.batch()]) }
        #expect(error?.isRetriable == false)
        #expect(error?.message.contains("SIGHTLINE_REDIS_PREFIX") == true)
    }

    @Test("invalid stored progress is a fatal error that contains the key")
    func invalidProgress() throws {
        try fixture.redis.call("SET", "\(fixture.prefix)progress:driver.locations:0", "mine")
        let sink = try fixture.sink()
        do {
            _ = try sink.nextOffsets(of: [positions.partition])
            Issue.record("Invalid progress was accepted.")
        } catch let error as any ClassifiedError {
            #expect(!error.isRetriable)
            #expect(error.description.contains("progress:driver.locations:0"))
        }
    }

    @Test("a cache smaller than the number of drivers and trips does not change the results")
    func smallCache() throws {
        for index in 0..<60 {
            positions.addVerdict(of: "drv_\(index % 7)", latitude: 10 + Double(index % 11))
            updates.addUpdate("driver_location", channel: "trip:\(index % 7)", payload: #"{"latitude":\#(index)}"#)
        }
        let smallCache = try fixture.sink { $0.cachedKeys = 2 }
        let other = try RedisFixture()
        let largeCache = try other.sink()
        for sink in [smallCache, largeCache] {
            for offset in stride(from: Int64(0), to: 60, by: 5) {
                _ = try sink.write([
                    positions.batch(from: offset, to: offset + 5), updates.batch(from: offset, to: offset + 5),
                ])
            }
        }
        #expect(try fixture.contents() == other.contents())
    }
}
