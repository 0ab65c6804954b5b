import Testing

@testable import Model
@testable import Simulation

@Suite("A simulated fleet is reproducible")
struct FleetDeterminismTests {
    @Test("the same seed gives the same bytes")
    func sameSeed() {
        #expect(Fleet.bytes(seed: 7) == Fleet.bytes(seed: 7))
    }

    @Test("another seed gives other bytes")
    func otherSeed() {
        #expect(Fleet.bytes(seed: 7) != Fleet.bytes(seed: 8))
    }

    @Test("how finely time advances changes nothing")
    func anyStride() {
        let whole = Fleet.events(Fleet.configuration(seed: 3), seconds: 60, stride: 60_000)
        let fine = Fleet.events(Fleet.configuration(seed: 3), seconds: 60, stride: 17)
        #expect(whole.map(Fleet.text) == fine.map(Fleet.text))
        #expect(!whole.isEmpty)
    }

    @Test("events come in the order in which they are sent")
    func order() {
        let events = Fleet.events(Fleet.configuration(), seconds: 90)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.sentAt <= $1.sentAt })
    }

    @Test("adding drivers does not change what the first one drives")
    func independentDrivers() {
        var few = Fleet.configuration(drivers: 10)
        few.transitShare = 0
        few.cheaterShare = 0
        var many = few
        many.drivers = 30
        let one = Fleet.fixes(Fleet.events(few, seconds: 60)).filter { $0.driverID == "drv_1" }.map(\.coordinate)
        let other = Fleet.fixes(Fleet.events(many, seconds: 60)).filter { $0.driverID == "drv_1" }.map(\.coordinate)
        #expect(!one.isEmpty)
        // The phase within a second is drawn for all drivers together, so places agree to some metres, not exactly.
        for (left, right) in zip(one, other) {
            #expect(Geodesy.distanceMeters(from: left, to: right) < 60)
        }
    }
}
