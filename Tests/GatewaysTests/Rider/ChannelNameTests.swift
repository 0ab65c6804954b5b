@testable import Gateways
import Testing

@Suite("Names of channels")
struct ChannelNameTests {
    @Test(
        "parses trips and routes with a valid identifier",
        arguments: ["trip:tr_1", "route:17", "trip:a:b", "route:A.b-c"])
    func channels(text: String) {
        #expect(ChannelName(text)?.description == text)
    }

    @Test(
        "rejects other texts",
        arguments: [
            "", "trip", "trip:", "fleet", "driver:d1", "Trip:tr_1", "trip:tr 1", "trip:tr_1:events", "trip:tr\n1",
            "trip:é", "trip:\(String(repeating: "x", count: 129))",
        ])
    func invalidNames(text: String) {
        #expect(ChannelName(text) == nil)
    }

    @Test("accepts an id of 128 bytes, the maximum")
    func longest() {
        #expect(ChannelName("trip:\(String(repeating: "x", count: 128))") != nil)
    }
}
