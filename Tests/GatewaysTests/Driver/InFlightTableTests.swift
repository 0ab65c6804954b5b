import Testing

@testable import Gateways

@Suite("Which record is waited for by what")
struct InFlightTableTests {
    @Test("what waits comes back with its place, once, and places are used again")
    func places() {
        var table = InFlightTable<String>()
        let (first, second) = (table.reserve(), table.reserve())
        table.fill(first, with: "a")
        table.fill(second, with: "b")
        #expect(first != second && table.count == 2)
        #expect(table.release(first) == "a" && table.count == 1)
        #expect(table.reserve() == first)
        #expect(table.release(first) == nil, "nothing was filled in since")
        #expect(table.release(second) == "b" && table.count == 0)
    }

    @Test("a ticket tells the event loop and the place", arguments: [0, 1, 1023])
    func tickets(loop: Int) {
        for place in [0, 1, 1 << 40] {
            let ticket = DriverDeliveryToken.make(loop: loop, place: place)
            #expect(DriverDeliveryToken.loop(of: ticket) == loop && DriverDeliveryToken.place(of: ticket) == place)
        }
    }
}
