import Testing

@testable import Domain
@testable import Simulation

@Suite("Short ride at the start of a simulated fleet")
struct ShortRideTests {
    private func configuration(seed: UInt64) -> FleetConfiguration {
        var configuration = Fleet.configuration(seed: seed)
        configuration.includesShortRide = true
        return configuration
    }

    @Test(
        "the short ride starts with the fleet, ends within 56 s, and both drives take at least 10 s", arguments: 1...12)
    func timing(seed: UInt64) throws {
        var fleet = FleetSimulation(configuration: configuration(seed: seed))
        let ride = fleet.shortRideID
        let id = try #require(ride)
        let messages = Fleet.messages(Fleet.events(&fleet, seconds: 60)).compactMap(\.message)
            .filter { $0.tripID == id }
        #expect(messages.map(\.state) == [.requested, .accepted, .arrived, .inProgress, .completed])
        let seconds = messages.compactMap { $0.changedAt?.seconds(since: Fleet.start) }
        try #require(seconds.count == 5)
        #expect(seconds[0] <= 1 && seconds[4] <= 56)
        let truth = try #require(fleet.trips.first { $0.tripID == id })
        let dropped = try #require(truth.stops.last?.arrivedAt).seconds(since: Fleet.start)
        #expect(seconds[2] - seconds[1] >= 10 && dropped - seconds[3] >= 10, "\(seconds)")
    }

    @Test("the dropoff is farther from the driver than the pickup, and the route begins at the driver")
    func path() throws {
        var fleet = FleetSimulation(configuration: configuration(seed: 1))
        let events = Fleet.events(&fleet, seconds: 60)
        let accepted = try #require(
            Fleet.messages(events).compactMap(\.message)
                .first { $0.tripID == fleet.shortRideID && $0.state == .accepted })
        let home = try #require(accepted.route?.points.first)
        let (pickup, dropoff) = (accepted.stops[0].coordinate, accepted.stops[1].coordinate)
        #expect(Geodesy.distanceMeters(from: home, to: pickup) > 50)
        #expect(
            Geodesy.distanceMeters(from: home, to: dropoff) > Geodesy.distanceMeters(from: home, to: pickup))
        let fix = try #require(
            Fleet.fixes(events).first { fix in
                fix.driverID == accepted.driverID && accepted.changedAt.map { fix.takenAt > $0 } ?? false
            })
        #expect(Geodesy.distanceMeters(from: home, to: fix.coordinate) < 20)
    }

    @Test("the short ride does not change other drivers")
    func others() throws {
        func records(_ configuration: FleetConfiguration, without driver: String) -> [String] {
            Fleet.events(configuration, seconds: 40).filter { event in
                switch event {
                case .rawRecord(let record): record.key != driver
                case .tripMessage(let record): record.key != driver
                }
            }.map(Fleet.text)
        }
        let withRide = configuration(seed: 2)
        let ride = FleetSimulation(configuration: withRide).shortRideID
        let id = try #require(ride)
        let driver = "drv_\(try #require(id.split(separator: "_").dropLast().last))"
        #expect(records(withRide, without: driver) == records(Fleet.configuration(seed: 2), without: driver))
    }

    @Test("there is a short ride only if it is requested and a driver can run it")
    func none() {
        #expect(FleetSimulation(configuration: Fleet.configuration()).shortRideID == nil)
        var cheaters = configuration(seed: 1)
        cheaters.cheaterShare = 1
        cheaters.transitShare = 0
        #expect(FleetSimulation(configuration: cheaters).shortRideID == nil)
    }
}
