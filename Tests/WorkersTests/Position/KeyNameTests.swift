import TestSupport
import Testing

@testable import PositionWorker
@testable import Support

@Suite("Names that become keys in Redis")
struct KeyNameTests {
    private func isKeptAsChannel(_ text: String) -> Bool { ByteSlice.withBytes(of: text) { TripBatch.canKeep($0) } }
    private func isKeptAsDriver(_ text: String) -> Bool { ByteSlice.withBytes(of: text) { DriverBatch.canKeep($0) } }

    @Test("a channel is trip: or route: and an id of 1 to 128 bytes")
    func lengths() {
        for kind in ["trip:", "route:"] {
            #expect(!isKeptAsChannel(kind))
            #expect(isKeptAsChannel(kind + "a"))
            #expect(isKeptAsChannel(kind + String(repeating: "a", count: 128)))
            #expect(!isKeptAsChannel(kind + String(repeating: "a", count: 129)))
        }
        for channel in [
            "", "a", "trip", "tripa", "driver:a", "progress:a", "Trip:a", "trip:a:events", "route:a:events",
        ] {
            #expect(!isKeptAsChannel(channel), "\(channel)")
        }
    }

    @Test("a driver's id has 1 to 128 bytes and is not the name of another driver's trail")
    func drivers() {
        #expect(!isKeptAsDriver(""))
        #expect(isKeptAsDriver("a"))
        #expect(isKeptAsDriver(String(repeating: "a", count: 128)))
        #expect(!isKeptAsDriver(String(repeating: "a", count: 129)))
        #expect(!isKeptAsDriver("a:trail"))
    }

    @Test("what could break out of a key, a line or a pattern is part of no key", arguments: HostileText.all)
    func hostile(text: String) {
        #expect(!isKeptAsDriver(text))
        #expect(!isKeptAsChannel("trip:" + text))
        #expect(!isKeptAsChannel("route:" + text))
    }
}
