import TestSupport
import Testing

@testable import SightlineCLI
@testable import Simulation
@testable import Support

@Suite("A simulated fleet, processed in memory", .blocking)
struct OfflineDemoTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)

    private func fleet(drivers: Int = 40, seed: UInt64) -> FleetConfiguration {
        var configuration = FleetConfiguration(drivers: drivers, seed: seed, start: Self.start)
        configuration.warmUpSeconds = 120
        configuration.unusualDeviceShare = 0
        return configuration
    }

    @Test("every cheater with enough forged fixes is caught in runs of 60, 110 and 300 s", arguments: [60.0, 110, 300])
    func cheaters(seconds: Double) throws {
        for seed in UInt64(1)...2 {
            var configuration = fleet(seed: seed)
            configuration.cheaterShare = 0.5
            let spoofing = try #require(OfflineDemo(configuration, seconds: seconds).report.spoofing)
            #expect(spoofing.caught == spoofing.cheaters, "seed \(seed)")
            #expect(spoofing.cheaters >= 6, "seed \(seed)")
        }
    }

    @Test("every driver who replays a whole track is caught in a run of 400 s", arguments: [UInt64(1), 2])
    func replays(seed: UInt64) throws {
        var configuration = fleet(drivers: 20, seed: seed)
        configuration.cheaterShare = 1
        configuration.transitShare = 0
        let demo = OfflineDemo(configuration, seconds: 400)
        let replays = demo.fleet.drivers.filter { $0.cheat == .replayedTrack }
        let result = try #require(demo.figures.spoofing.result(replays, seen: demo.figures.drivers))
        #expect(result.cheaters >= 2 && result.caught == result.cheaters, "seed \(seed)")
    }

    @Test("no fix of an honest driver with a raw receiver is rejected as forged", arguments: [UInt64(1), 2])
    func rawReceivers(seed: UInt64) throws {
        var configuration = fleet(seed: seed)
        configuration.cheaterShare = 0
        configuration.rawReceiverShare = 1
        let demo = OfflineDemo(configuration, seconds: 300)
        let spoofing = try #require(demo.report.spoofing)
        #expect(spoofing.honest == 40 && spoofing.honestRejected == 0, "seed \(seed)")
    }

    @Test(
        "smoothing reduces the error of raw receivers by over 10 %, and adds less than 5 % to the error of phones",
        arguments: [UInt64(1), 2])
    func gains(seed: UInt64) throws {
        var configuration = fleet(seed: seed)
        configuration.cheaterShare = 0
        configuration.rawReceiverShare = 0.5
        let accuracy = OfflineDemo(configuration, seconds: 240).figures.accuracy
        #expect(accuracy.byConditions.values.map(\.count).reduce(0, +) == accuracy.count, "seed \(seed)")
        func ratio(_ receiver: ReceiverKind, _ surroundings: RoadEnvironment) throws -> Double {
            let conditions = ReceptionConditions(receiver: receiver, environment: surroundings)
            let group = try #require(accuracy.byConditions[conditions])
            #expect(group.count > 100, "seed \(seed), \(conditions)")
            let errors = try #require(group.rootMeanSquares)
            return errors.smoothed / errors.raw
        }
        let phones = try ratio(.phone, .openRoad)
        let open = try ratio(.raw, .openRoad)
        let canyon = try ratio(.raw, .streetCanyon)
        #expect(open < 0.9 && canyon < 0.9 && phones < 1.05, "seed \(seed): \(open), \(canyon), \(phones)")
    }
}
