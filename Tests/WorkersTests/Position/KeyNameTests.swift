import TestSupport
import Testing

@testable import PositionWorker
@testable import Support

@Suite("Redis key names")
struct KeyNameTests {
    private func isChannelKey(_ text: String) -> Bool { ByteSlice.withBytes(of: text) { TripBatch.isKey($0) } }
    private func isDriverKey(_ text: String) -> Bool { ByteSlice.withBytes(of: text) { DriverBatch.isKey($0) } }

    @Test("a channel is trip: or route: and an id of 1 to 128 bytes")
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

    @Test("characters that could break out of a key, line or pattern are rejected", arguments: HostileText.all)
    func hostile(text: String) {
        #expect(!isDriverKey(text))
        #expect(!isChannelKey("trip:" + text))
        #expect(!isChannelKey("route:" + text))
    }
}
