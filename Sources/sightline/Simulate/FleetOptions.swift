import ArgumentParser
import Simulation
import Support

/// What a simulated fleet is like, as options of a command.
struct FleetOptions: ParsableArguments {
    @Option(help: "How many drivers.")
    var drivers = 200

    @Option(help: "The seed; the same seed gives the same fleet.")
    var seed: UInt64 = 1

    @Option(help: "Fixes per second and driver in a trip; the pipeline throttles more than 1.")
    var rate = 1.0

    @Option(help: "The share of drivers that cheat.")
    var cheaters = 0.05

    @Option(help: "The share of drivers that run buses.")
    var buses = 0.1

    @Option(
        help: ArgumentHelp(
            "About how far rides go as the crow flies, after half of that to the pickup: 200 to 5000. Unless given, the "
                + "pickup is up to 2200 m away, and rides are 1200 to 5500 m long.", valueName: "meters"))
    var rideMeters: Double?

    @Option(parsing: .unconditional, help: "The middle of the town: \(CoordinateArgument.form).")
    var center: String?

    func validate() throws {
        guard (0.05...10).contains(rate) else { throw ValidationError("--rate lies between 0.05 and 10.") }
        _ = try configuration(start: Timestamp(milliseconds: 0))
    }

    /// - Throws: `ValidationError` with the first sentence of what is wrong.
    func configuration(start: Timestamp) throws -> FleetConfiguration {
        var configuration = FleetConfiguration(drivers: drivers, seed: seed, start: start)
        configuration.tripIntervalSeconds = 1 / rate
        configuration.cheaterShare = cheaters
        configuration.transitShare = buses
        configuration.rideMeters = rideMeters
        if let center {
            guard let center = CoordinateArgument(argument: center) else {
                throw ValidationError("--center is \(CoordinateArgument.form).")
            }
            configuration.center = center.coordinate
        }
        if let problem = configuration.problem { throw ValidationError(problem) }
        return configuration
    }
}
