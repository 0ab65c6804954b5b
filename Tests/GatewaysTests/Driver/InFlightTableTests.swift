import Testing

@testable import Gateways

@Suite("In-flight table")
struct InFlightTableTests {
    @Test("a slot returns its content once and is reused")
    func slots() {
        var table = InFlightTable<String>()
        let (first, second) = (table.insert("a"), table.insert("b"))
        #expect(first != second && table.count == 2)
        #expect(table.remove(first) == "a" && table.count == 1)
        #expect(table.remove(first) == nil && table.count == 1, "an empty slot has no content")
        #expect(table.insert("c") == first)
        #expect(table.remove(second) == "b" && table.remove(first) == "c" && table.count == 0)
    }

    @Test("a token encodes the event loop and the slot", arguments: [0, 1, 1023])
    func tokens(loop: Int) {
        for slot in [0, 1, 1 << 40] {
            let token = DriverDeliveryToken.make(loop: loop, slot: slot)
            #expect(DriverDeliveryToken.loop(of: token) == loop && DriverDeliveryToken.slot(of: token) == slot)
        }
    }
}
