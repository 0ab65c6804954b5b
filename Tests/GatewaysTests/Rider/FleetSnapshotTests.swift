import NIOCore
import Testing

@testable import Gateways

@Suite("Fleet snapshots")
struct FleetSnapshotTests {
    private func driver(_ id: String, latitude: String) throws -> FleetDriver {
        let values = [latitude, "11.5", "90", "8.1", "1000", "", "", "0", "0", ""]
        return try #require(FleetDriver(id: id, .array(values.map { .bytes(Array($0.utf8)) })))
    }

    private func snapshot(hasAll: Bool) throws -> FleetSnapshot {
        let before = ["a": try driver("a", latitude: "1"), "b": try driver("b", latitude: "2")]
        let now = ["a": try driver("a", latitude: "1"), "c": try driver("c", latitude: "3")]
        return FleetSnapshot(now, before: before, hasAll: hasAll, at: 0)
    }

    @Test("a snapshot contains all drivers only if a new subscriber needs them")
    func all() throws {
        #expect(try snapshot(hasAll: false).all == nil)
        let text = String(buffer: try #require(try snapshot(hasAll: true).all))
        #expect(text.contains(#""driver_id":"a""#) && text.contains(#""driver_id":"c""#))
        #expect(text.contains(#""type":"subscribed""#) && !text.contains(#""driver_id":"b""#))
    }

    @Test(
        "changes contain new drivers and the ids of removed drivers, but no unchanged driver", arguments: [false, true])
    func changes(hasAll: Bool) throws {
        let text = String(buffer: try snapshot(hasAll: hasAll).changes)
        #expect(text.contains(#""driver_id":"c""#) && !text.contains(#""driver_id":"a""#))
        #expect(text.contains(#""gone":["b"]"#))
    }
}
