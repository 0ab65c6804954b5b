import Testing

@testable import Domain
@testable import Simulation

@Suite("A simulated fleet is reproducible")
struct FleetDeterminismTests {
    @Test("the same seed gives the same events, byte for byte")
    func sameSeed() {
        #expect(Fleet.texts(seed: 7) == Fleet.texts(seed: 7))
    }

    @Test("a different seed gives different events")
    func otherSeed() {
        #expect(Fleet.texts(seed: 7) != Fleet.texts(seed: 8))
    }

    @Test("the events do not depend on the length of the time steps")
    func anyStride() {
        let coarse = Fleet.events(Fleet.configuration(seed: 3), seconds: 60, stride: 60_000)
        let fine = Fleet.events(Fleet.configuration(seed: 3), seconds: 60, stride: 17)
        #expect(coarse.map(Fleet.text) == fine.map(Fleet.text))
        #expect(!coarse.isEmpty)
    }

    @Test("events are in the order of sending")
    func order() {
        let events = Fleet.events(Fleet.configuration(), seconds: 90)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.sentAt <= $1.sentAt })
    }

    @Test("adding drivers moves the first driver by less than 60 m")
    func independentDrivers() {
        var few = Fleet.configuration(drivers: 10)
        few.transitShare = 0
        few.cheaterShare = 0
        var many = few
        many.drivers = 30
        let inFew = Fleet.fixes(Fleet.events(few, seconds: 60)).filter { $0.driverID == "drv_1" }.map(\.coordinate)
        let inMany = Fleet.fixes(Fleet.events(many, seconds: 60)).filter { $0.driverID == "drv_1" }.map(\.coordinate)
        #expect(!inFew.isEmpty)
        for (left, right) in zip(inFew, inMany) {
            #expect(Geodesy.distanceMeters(from: left, to: right) < 60)
        }
    }
}
