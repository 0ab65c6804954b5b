@testable import Gateways
import Testing

@Suite("Names of channels")
struct ChannelNameTests {
    @Test(
        "the name of a trip or route with a valid id is parsed",
        arguments: ["trip:tr_1", "route:17", "trip:a:b", "route:A.b-c"])
    func channels(text: String) {
        #expect(ChannelName(text)?.description == text)
    }

    @Test(
        "other texts are not channel names",
        arguments: [
            "", "trip", "trip:", "fleet", "driver:d1", "Trip:tr_1", "trip:tr 1", "trip:tr_1:events", "trip:tr\n1",
            "trip:é", "trip:\(String(repeating: "x", count: 129))",
        ])
    func invalidNames(text: String) {
        #expect(ChannelName(text) == nil)
    }

    @Test("an id may have up to 128 bytes")
    func longest() {
        #expect(ChannelName("trip:\(String(repeating: "x", count: 128))") != nil)
    }
}
