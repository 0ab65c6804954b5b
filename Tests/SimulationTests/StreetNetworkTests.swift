import Testing

@testable import Domain
@testable import Simulation
@testable import Support

@Suite("The simulated town")
struct StreetNetworkTests {
    private let network = StreetNetworkBuilder.build(
        center: Coordinate(latitude: 48, longitude: 11), configuration: StreetNetworkConfiguration(), seed: 4)

    @Test("random destinations can be reached from each other along streets")
    func connected() {
        var planner = RoutePlanner(network: network)
        var random = RandomSource(seed: 11)
        for _ in 0..<200 {
            let start = network.destinations[random.index(below: network.destinations.count)]
            let end = network.destinations[random.index(below: network.destinations.count)]
            let path = planner.route(from: start, to: end, in: network)
            #expect(path.first == start && path.last == end)
            #expect(zip(path, path.dropFirst()).allSatisfy { network.street(from: $0, to: $1) != nil })
        }
    }

    @Test("a planned path is as fast as the best of an exhaustive search")
    func quickest() {
        var configuration = StreetNetworkConfiguration()
        configuration.columns = 14
        configuration.rows = 14
        let town = StreetNetworkBuilder.build(
            center: Coordinate(latitude: -33, longitude: 151), configuration: configuration, seed: 2)
        var planner = RoutePlanner(network: town)
        let start = town.destinations[0]
        var best = Array(repeating: Double.infinity, count: town.crossings.count)
        best[start] = 0
        for _ in town.crossings.indices {
            for street in town.streets where best[street.from].isFinite {
                best[street.to] = min(best[street.to], best[street.from] + RoutePlanner.seconds(on: street, in: town))
            }
        }
        for end in town.destinations {
            let path = DrivePath(crossings: planner.route(from: start, to: end, in: town), in: town)
            #expect(abs(path.planSeconds - best[end]) < 1e-6)
        }
    }

    @Test("the town has streets of all classes, few bridges, tunnels and signals")
    func ingredients() {
        #expect(Set(network.streets.map(\.streetClass)) == [.side, .arterial, .express])
        let bridges = network.streets.count { $0.isBridge } / 2
        #expect((3...12).contains(bridges))
        #expect(network.streets.contains { $0.isTunnel })
        #expect(network.hasSignal.count { $0 } > 30)
        #expect(!network.streets.contains { $0.isTunnel && network.hasSignal[$0.to] })
    }

    @Test("a signal is always red for exactly one axis, and alternates")
    func signals() throws {
        let crossing = try #require(network.hasSignal.firstIndex(of: true))
        var seen: Set<Bool> = []
        for second in 0..<180 {
            let time = Timestamp(milliseconds: 1_763_000_000_000 + Int64(second) * 1000)
            let along = network.isRed(crossing: crossing, eastward: 1, northward: 0.2, at: time)
            let across = network.isRed(crossing: crossing, eastward: 0.1, northward: -1, at: time)
            #expect(along != across)
            seen.insert(along)
        }
        #expect(seen == [true, false])
    }

    @Test("a vehicle ends exactly at its goal, within limits of speed and acceleration, and also stops on the way")
    func driving() throws {
        var random = RandomSource(seed: 3)
        var planner = RoutePlanner(network: network)
        var stops = 0
        for _ in 0..<6 {
            let start = network.destinations[random.index(below: network.destinations.count)]
            let end = network.destinations[random.index(below: network.destinations.count)]
            let path = DrivePath(crossings: planner.route(from: start, to: end, in: network), in: network)
            stops += drive(path, random: &random)
        }
        #expect(stops > 10, "\(stops) stops at six goals and some red signals")
    }

    /// Drives a path to its end and returns the number of stops.
    private func drive(_ path: DrivePath, random: inout RandomSource) -> Int {
        var vehicle = Vehicle(path: path, style: Vehicle.Style(random: &random))
        var time = Timestamp(milliseconds: 1_763_000_000_000)
        var seconds = 0.0
        var stops = 0
        while !vehicle.hasArrived, seconds < 3600 {
            let before = (speed: vehicle.speedMetersPerSecond, distance: vehicle.distanceMeters)
            vehicle.drive(seconds: 1, from: time, in: network, random: &random)
            time = time.advanced(bySeconds: 1)
            seconds += 1
            #expect(vehicle.speedMetersPerSecond - before.speed <= 2.01)
            if !vehicle.hasArrived { #expect(before.speed - vehicle.speedMetersPerSecond <= 3.51) }
            #expect(vehicle.distanceMeters >= before.distance)
            #expect(vehicle.speedMetersPerSecond < 30)
            if vehicle.speedMetersPerSecond == 0, before.speed > 0 { stops += 1 }
        }
        #expect(vehicle.hasArrived && vehicle.distanceMeters == path.lengthMeters)
        #expect((0.8...2).contains(seconds / path.planSeconds), "\(seconds) s against \(path.planSeconds) planned")
        return stops
    }

    @Test("invalid settings are reported as a problem")
    func problems() {
        var configuration = FleetConfiguration(drivers: 1, start: Timestamp(milliseconds: 0))
        #expect(configuration.problem == nil)
        configuration.drivers = 0
        #expect(configuration.problem != nil)
        configuration.drivers = 1
        configuration.cheaterShare = 1.01
        #expect(configuration.problem != nil)
        configuration.cheaterShare = 0.6
        configuration.transitShare = 0.41
        #expect(configuration.problem != nil)
        configuration.transitShare = 0.4
        #expect(configuration.problem == nil)
        for (meters, isAllowed) in [(199.9, false), (200, true), (5000, true), (5000.1, false)] {
            configuration.rideMeters = meters
            #expect((configuration.problem == nil) == isAllowed, "\(meters)")
        }
    }
}
