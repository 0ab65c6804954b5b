import NIOCore
import Testing

@testable import Gateways

@Suite("Pictures of the fleet")
struct FleetSnapshotTests {
    private func driver(_ id: String, latitude: String) throws -> FleetDriver {
        let values = [latitude, "11.5", "90", "8.1", "1000", "", "", "0", "0", ""]
        return try #require(FleetDriver(id: id, .array(values.map { .bytes(Array($0.utf8)) })))
    }

    private func picture(hasAll: Bool) throws -> FleetSnapshot {
        let before = ["a": try driver("a", latitude: "1"), "b": try driver("b", latitude: "2")]
        let now = ["a": try driver("a", latitude: "1"), "c": try driver("c", latitude: "3")]
        return FleetSnapshot(now, before: before, hasAll: hasAll, at: 0)
    }

    @Test("all drivers are in a picture only where a client is to get them")
    func all() throws {
        #expect(try picture(hasAll: false).all == nil)
        let text = String(buffer: try #require(try picture(hasAll: true).all))
        #expect(text.contains(#""driver_id":"a""#) && text.contains(#""driver_id":"c""#))
        #expect(text.contains(#""type":"subscribed""#) && !text.contains(#""driver_id":"b""#))
    }

    @Test(
        "changes are the drivers that are new or another, and the ids of those that are gone", arguments: [false, true])
    func changes(hasAll: Bool) throws {
        let text = String(buffer: try picture(hasAll: hasAll).changes)
        #expect(text.contains(#""driver_id":"c""#) && !text.contains(#""driver_id":"a""#))
        #expect(text.contains(#""gone":["b"]"#))
    }
}
