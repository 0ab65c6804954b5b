import Simulation
import Support

/// Honest drivers of a simulated town, each for an hour, with poor receivers and networks.
///
/// Errors: the noise of recorded phones with heavy tails, glitches, tunnels, cold starts, losses, clock jitter, batch
/// uploads and accuracies in eight levels.
package struct SimulatedFleet {
    package static let origin = "simulated"
    static let driveSeconds = 3600

    private let network: StreetNetwork
    private var planner: RoutePlanner
    private let seed: UInt64

    package init(seed: UInt64) {
        var town = FleetConfiguration(drivers: 1, seed: 11, start: Self.start)
        town.warmUpSeconds = 0
        town.transitShare = 0
        // SimulatedPhone has its own tunnels, which last longer than the town's tunnels.
        town.streets.tunnels = 0
        network = FleetSimulation(configuration: town).network
        planner = RoutePlanner(network: network)
        self.seed = seed
    }

    static let start = Timestamp(milliseconds: 1_760_000_000_000)

    /// Returns the drive with this number; drives follow each other in time.
    package mutating func drive(_ number: Int) -> ReceivedTrace {
        drive(number, from: Self.start.advanced(bySeconds: Double(number * (Self.driveSeconds + 600))))
    }

    /// Returns the drive with this number, starting at `begin`, so that drives can be concurrent.
    mutating func drive(_ number: Int, from begin: Timestamp) -> ReceivedTrace {
        var random = RandomSource(seed: seed, index: UInt64(number), purpose: 41)
        // A separate source, so that streets, drivers and noise are the same for every rounding.
        var roundingRandom = RandomSource(seed: seed, index: UInt64(number), purpose: 42)
        var phone = SimulatedPhone(rounding: CoordinateRounding(random: &roundingRandom), random: &random)
        var trace = ReceivedTrace(name: "drive-\(number)", origin: Self.origin)
        var here = network.destinations[random.index(below: network.destinations.count)]
        var vehicle = Vehicle(path: path(from: here, &random), style: Vehicle.Style(random: &random))
        var standsUntil = 0
        for second in 0..<Self.driveSeconds {
            let at = begin.advanced(bySeconds: Double(second))
            if vehicle.hasArrived, standsUntil < second {
                standsUntil = second + Int(random.uniform(in: 10...240))
            } else if vehicle.hasArrived, standsUntil == second {
                here = vehicle.path.crossings[vehicle.path.crossings.count - 1]
                vehicle = Vehicle(path: path(from: here, &random), style: Vehicle.Style(random: &random))
            }
            vehicle.drive(seconds: 1, from: at, in: network, random: &random)
            phone.measure(
                SimulatedPhone.CarState(
                    plane: network.plane, point: vehicle.point, speed: vehicle.speedMetersPerSecond,
                    heading: vehicle.headingDegrees),
                second: second, at: at, into: &trace, random: &random)
        }
        phone.upload(at: begin.advanced(bySeconds: Double(Self.driveSeconds)), into: &trace)
        return trace
    }

    /// Draws a path to a destination more than 1.5 km away.
    private mutating func path(from crossing: Int, _ random: inout RandomSource) -> DrivePath {
        for _ in 0..<20 {
            let goal = network.destinations[random.index(below: network.destinations.count)]
            guard network.crossings[crossing].distanceMeters(to: network.crossings[goal]) > 1500 else { continue }
            let crossings = planner.route(from: crossing, to: goal, in: network)
            if crossings.count > 1 { return DrivePath(crossings: crossings, in: network) }
        }
        return DrivePath(crossings: [crossing], in: network)
    }
}
