import TestSupport
import Testing

@testable import SightlineCLI
@testable import Simulation
@testable import Support

@Suite("Honest devices, processed in memory", .blocking)
struct HonestDeviceTests {
    @Test(
        "an unusual device that keeps its session gets no forged fix and no flag",
        arguments: DeviceVariant.unusual.filter { $0 != .restartsWithoutSession }, [UInt64(1), 2])
    func honest(variant: DeviceVariant, seed: UInt64) throws {
        var configuration = fleet(drivers: 50, seed: seed)
        configuration.unusualDeviceShare = 1
        let demo = OfflineDemo(configuration, seconds: 400)
        let drivers = demo.fleet.drivers.filter { $0.variant == variant }
        let result = try #require(demo.figures.spoofing.result(drivers, seen: demo.figures.drivers))
        #expect(result.honest == 10 && result.honestRejected == 0, "seed \(seed)")
    }

    @Test(
        "drivers whose app restarts its sequence at 0 without a session id lose two replays or fewer on average",
        arguments: [UInt64(1), 2])
    func restarts(seed: UInt64) {
        var configuration = fleet(drivers: 50, seed: seed)
        configuration.unusualDeviceShare = 1
        let demo = OfflineDemo(configuration, seconds: 400)
        let losses = demo.figures.spoofing.honestLosses
        // A device whose clock is more than a minute fast loses its first two fixes.
        #expect(losses.keys.allSatisfy { $0 == .sequenceReplay || $0 == .clockSkew }, "seed \(seed): \(losses)")
        // Ten drivers have such an app.
        #expect(losses[.sequenceReplay] ?? 0 <= 2 * 10, "seed \(seed): \(losses)")
    }

    @Test("devices that report rarely lose no fix in a quiet partition", arguments: 1...3, [UInt64(1), 2])
    func quiet(drivers: Int, seed: UInt64) {
        var configuration = fleet(drivers: drivers, seed: seed)
        configuration.onlineIntervalSeconds = 170
        configuration.tripIntervalSeconds = 60
        configuration.unusualDeviceShare = 0
        configuration.skewedClockShare = 0
        configuration.rideMeters = 300
        let demo = OfflineDemo(configuration, seconds: 7200)
        #expect(demo.figures.fixes > 10 * drivers, "seed \(seed)")
        #expect(demo.figures.spoofing.honestLosses.isEmpty, "seed \(seed)")
    }

    private func fleet(drivers: Int, seed: UInt64) -> FleetConfiguration {
        var configuration = FleetConfiguration(
            drivers: drivers, seed: seed, start: Timestamp(milliseconds: 1_770_000_000_000))
        configuration.warmUpSeconds = 120
        configuration.cheaterShare = 0
        configuration.rawReceiverShare = 0
        return configuration
    }
}
