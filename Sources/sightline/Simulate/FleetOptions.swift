import ArgumentParser
import Simulation
import Support

/// Options of a simulated fleet.
struct FleetOptions: ParsableArguments {
    @Option(help: "Number of drivers.")
    var drivers = 200

    @Option(help: "Seed of the fleet.")
    var seed: UInt64 = 1

    @Option(help: "Fixes per second of a driver on a trip; the pipeline throttles more than 1.")
    var rate = 1.0

    @Option(help: "Share of drivers that cheat.")
    var cheaters = 0.05

    @Option(help: "Share of drivers that drive buses.")
    var buses = 0.1

    @Option(
        help: ArgumentHelp(
            "Approximate straight-line length of rides, 200 to 5000; the pickup is half as far away. By default the "
                + "pickup is up to 2200 m away, and honest drivers' rides are 1200 to 5500 m.", valueName: "meters"))
    var rideMeters: Double?

    @Option(parsing: .unconditional, help: "Centre of the town: \(CoordinateArgument.format).")
    var center: String?

    func validate() throws {
        guard (0.05...10).contains(rate) else { throw ValidationError("--rate must be 0.05 to 10.") }
        _ = try configuration(start: Timestamp(milliseconds: 0))
    }

    /// - Throws: `ValidationError` for the first invalid option.
    func configuration(start: Timestamp) throws -> FleetConfiguration {
        var configuration = FleetConfiguration(drivers: drivers, seed: seed, start: start)
        configuration.tripIntervalSeconds = 1 / rate
        configuration.cheaterShare = cheaters
        configuration.transitShare = buses
        configuration.rideMeters = rideMeters
        if let center {
            guard let center = CoordinateArgument(argument: center) else {
                throw ValidationError("--center must be \(CoordinateArgument.format).")
            }
            configuration.center = center.coordinate
        }
        if let problem = configuration.problem { throw ValidationError(problem) }
        return configuration
    }
}
