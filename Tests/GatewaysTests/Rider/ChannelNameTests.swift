import Gateways
import Testing

@Suite("Names of channels")
struct ChannelNameTests {
    @Test(
        "trips and routes with an identifier are channels",
        arguments: ["trip:tr_1", "route:17", "trip:a:b", "route:A.b-c"])
    func channels(text: String) {
        #expect(ChannelName(text)?.description == text)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "trip", "trip:", "fleet", "driver:d1", "Trip:tr_1", "trip:tr 1", "trip:tr_1:events", "trip:tr\n1",
            "trip:é", "trip:\(String(repeating: "x", count: 129))",
        ])
    func others(text: String) {
        #expect(ChannelName(text) == nil)
    }

    @Test("an id of 128 bytes is the longest")
    func longest() {
        #expect(ChannelName("trip:\(String(repeating: "x", count: 128))") != nil)
    }
}
