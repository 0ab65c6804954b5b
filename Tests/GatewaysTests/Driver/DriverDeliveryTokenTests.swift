import Testing

@testable import Gateways

@Suite("Delivery tokens")
struct DriverDeliveryTokenTests {
    @Test("a token encodes the event loop and the record", arguments: [0, 1, 1023])
    func tokens(loop: Int) {
        for record in [0, 1, 1 << 40] {
            let token = DriverDeliveryToken.make(loop: loop, record: record)
            #expect(DriverDeliveryToken.loop(of: token) == loop && DriverDeliveryToken.record(of: token) == record)
        }
    }
}
