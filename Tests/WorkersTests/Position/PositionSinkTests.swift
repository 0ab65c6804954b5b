import TestSupport
import Testing

@testable import Domain
@testable import PositionWorker
@testable import Processing
@testable import Redis
@testable import Support

@Suite("Position sink")
struct PositionSinkTests {
    @Test("a connection failure is retriable")
    func unreachable() throws {
        let sink = PositionSink(PositionSinkConfiguration(redis: RedisConfiguration(host: "127.0.0.1", port: 1)))
        let error = #expect(throws: RedisError.self) { try sink.connect() }
        #expect(error?.isRetriable == true)
        #expect(throws: RedisError.self) {
            try sink.nextOffsets(of: [SinkPartition(topic: "driver.locations", partition: 0)])
        }
    }
}

@Suite("Redis key names")
struct KeyNameTests {
    private func isChannelKey(_ text: String) -> Bool { ByteSlice.withBytes(of: text) { TripBatch.isKey($0) } }
    private func isDriverKey(_ text: String) -> Bool { ByteSlice.withBytes(of: text) { DriverBatch.isKey($0) } }

    @Test("a channel key is trip: or route: and an id of 1 to 128 bytes")
    func lengths() {
        for kind in ["trip:", "route:"] {
            #expect(!isChannelKey(kind))
            #expect(isChannelKey(kind + "a"))
            #expect(isChannelKey(kind + String(repeating: "a", count: 128)))
            #expect(!isChannelKey(kind + String(repeating: "a", count: 129)))
        }
        for channel in [
            "", "a", "trip", "tripa", "driver:a", "progress:a", "Trip:a", "trip:a:events", "route:a:events",
        ] {
            #expect(!isChannelKey(channel), "\(channel)")
        }
    }

    @Test("a driver id has 1 to 128 bytes and is not the trail key of another driver")
    func drivers() {
        #expect(!isDriverKey(""))
        #expect(isDriverKey("a"))
        #expect(isDriverKey(String(repeating: "a", count: 128)))
        #expect(!isDriverKey(String(repeating: "a", count: 129)))
        #expect(!isDriverKey("a:trail"))
    }

    @Test("a key has no character that breaks out of a key, line or pattern", arguments: HostileText.all)
    func hostile(text: String) {
        #expect(!isDriverKey(text))
        #expect(!isChannelKey("trip:" + text))
        #expect(!isChannelKey("route:" + text))
    }
}

@Suite("Stored watermarks")
struct StoredWatermarkTests {
    @Test(
        "a parsed watermark is written with the same text",
        arguments: ["0 - -", "184468 3-184467 -", "512 - t3-511", "7 3-184467.7+2/1 t0-0/255"])
    func roundTrip(text: String) throws {
        #expect(try #require(StoredWatermark(text)).text == text)
    }

    @Test(
        "malformed watermarks are not parsed",
        arguments: [
            "", "1", "1 -", "1 - - -", "-1 - -", "x - -", "1 t3-1 -", "1 - 3-1", "1 3-1 x", "1  -", "1 3-1 t3-1 ",
            "99999999999999999999 - -",
        ])
    func malformed(text: String) {
        #expect(StoredWatermark(text) == nil)
    }

    @Test("the watermark of an unwritten partition has offset 0 and no event")
    func start() {
        #expect(StoredWatermark.start.text == "0 - -")
    }
}
