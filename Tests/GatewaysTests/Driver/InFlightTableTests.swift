import Testing

@testable import Gateways

@Suite("In-flight table")
struct InFlightTableTests {
    @Test("a slot returns its content once and is reused")
    func slots() {
        var table = InFlightTable<String>()
        let (first, second) = (table.reserve(), table.reserve())
        table.fill(first, with: "a")
        table.fill(second, with: "b")
        #expect(first != second && table.count == 2)
        #expect(table.release(first) == "a" && table.count == 1)
        #expect(table.reserve() == first)
        #expect(table.release(first) == nil, "an empty slot has no content")
        #expect(table.release(second) == "b" && table.count == 0)
    }

    @Test("a token encodes the event loop and the slot", arguments: [0, 1, 1023])
    func tokens(loop: Int) {
        for slot in [0, 1, 1 << 40] {
            let token = DriverDeliveryToken.make(loop: loop, slot: slot)
            #expect(DriverDeliveryToken.loop(of: token) == loop && DriverDeliveryToken.slot(of: token) == slot)
        }
    }
}
