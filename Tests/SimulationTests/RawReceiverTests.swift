import Testing

@testable import Domain
@testable import Simulation

@Suite("Raw receivers of a simulated fleet, which do not filter positions")
struct RawReceiverTests {
    private func configuration(share: Double, drivers: Int = 60) -> FleetConfiguration {
        var configuration = Fleet.configuration(drivers: drivers, seed: 4)
        configuration.rawReceiverShare = share
        return configuration
    }

    private func raw(_ fixes: [FixGroundTruth]) -> Set<String> {
        Set(fixes.filter { $0.conditions?.receiver == .raw }.map(\.driverID))
    }

    @Test("exactly the requested share of honest drivers has a raw receiver")
    func share() {
        var configuration = configuration(share: 0.25, drivers: 100)
        configuration.cheaterShare = 0.2
        configuration.onlineIntervalSeconds = 10
        var fleet = FleetSimulation(configuration: configuration)
        let raw = raw(Fleet.fixes(Fleet.events(&fleet, seconds: 60)))
        // Receivers in tunnels or canyons may be silent for the whole time.
        #expect((18...20).contains(raw.count), "\(raw.count)")
        #expect(fleet.drivers.allSatisfy { $0.cheat == nil || !raw.contains($0.driverID) })
    }

    @Test("raw receivers do not change the records of phones")
    func otherDrivers() {
        let with = Fleet.records(Fleet.events(configuration(share: 0.5), seconds: 60))
        let without = Fleet.records(Fleet.events(configuration(share: 0), seconds: 60))
        let raw = raw(with.flatMap(\.fixes))
        func phones(_ records: [SimulatedEvent.RawRecord]) -> [[UInt8]] {
            records.filter { !raw.contains($0.key) && $0.fixes[0].conditions?.receiver == .phone }.map(\.value)
        }
        #expect(!raw.isEmpty && !phones(with).isEmpty && phones(with) == phones(without))
    }

    @Test("a raw receiver's errors are independent on open roads and persist in street canyons")
    func noise() throws {
        var steps: [RoadEnvironment: [Double]] = [:]
        var errors: [RoadEnvironment: [Double]] = [:]
        var configuration = configuration(share: 1)
        configuration.noise.heavyTailShare = 0
        configuration.cheaterShare = 0
        let sessions = Fleet.sessions(Fleet.events(configuration, seconds: 300))
        for session in sessions {
            for (left, right) in zip(session, session.dropFirst())
            where right.takenAt.seconds(since: left.takenAt) == 1 {
                guard let road = left.conditions?.environment, right.conditions?.environment == road else {
                    continue
                }
                let (before, after) = (Self.error(left), Self.error(right))
                steps[road, default: []].append(before.distanceMeters(to: after))
                errors[road, default: []].append(before.distanceMeters(to: TangentPlane.Point(east: 0, north: 0)))
            }
        }
        func rootMeanSquare(_ values: [Double]?) throws -> Double {
            let values = try #require(values)
            return (values.map { $0 * $0 }.reduce(0, +) / Double(values.count)).squareRoot()
        }
        // Successive fixes differ mainly by the white noise of 1.1 to 3.4 m per axis.
        #expect((3.5...6).contains(try rootMeanSquare(steps[.openRoad])))
        let canyon = try rootMeanSquare(errors[.streetCanyon])
        #expect(canyon > 2 * (try rootMeanSquare(errors[.openRoad])))
        #expect(try rootMeanSquare(steps[.streetCanyon]) < canyon)
    }

    @Test("a raw receiver has no fixes in a tunnel")
    func tunnels() {
        var configuration = configuration(share: 1, drivers: 100)
        configuration.streets.tunnels = 30
        configuration.cheaterShare = 0
        var fleet = FleetSimulation(configuration: configuration)
        let records = Fleet.records(Fleet.events(&fleet, seconds: 240))
        #expect(!records.isEmpty && records.allSatisfy { $0.fixes.count == 1 })
    }

    private static func error(_ fix: FixGroundTruth) -> TangentPlane.Point {
        TangentPlane(origin: fix.coordinate).point(of: fix.reported)
    }
}
