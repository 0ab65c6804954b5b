import ArgumentParser

/// How much `gateway` measures, as options of the command.
struct GatewayPlan: ParsableArguments {
    @Option(help: "gateway: connections whose memory is measured, each of a trip of its own.")
    var connections = 10_000

    @Option(help: "gateway: clients to whom updates are pushed.")
    var clients = 2_000

    @Option(help: "gateway: clients of each trip where updates are pushed.")
    var clientsPerTrip = 10

    @Option(help: "gateway: clients that connect again at once after the gateway was killed.")
    var stormClients = 5_000

    @Option(parsing: .upToNextOption, help: "gateway: pushes per second that are tried, until one is too much.")
    var pushRates = [5_000, 10_000, 15_000, 20_000, 30_000, 40_000, 60_000, 80_000, 120_000]

    @Option(help: "gateway: seconds for which each rate is tried.")
    var pushSeconds = 4.0

    @Option(help: "gateway: pushes per second at which latencies are measured.")
    var latencyRate = 5_000

    /// Trips to which updates are pushed.
    var pushTrips: Int { max(1, clients / clientsPerTrip) }

    /// All trips that are used.
    var trips: Int { max(connections, stormClients, pushTrips) }

    func validate() throws {
        // Linux gives a process 28,000 ports for connections to one address.
        let numbers = [("--connections", connections), ("--clients", clients), ("--storm-clients", stormClients)]
        for (option, number) in numbers where !(1...25_000).contains(number) {
            throw ValidationError("\(option) is 1 to 25000.")
        }
        if !(1...clients).contains(clientsPerTrip) {
            throw ValidationError("--clients-per-trip is 1 to the number of --clients.")
        }
        if pushRates.isEmpty || zip(pushRates, pushRates.dropFirst()).contains(where: { $0 >= $1 }) {
            throw ValidationError("--push-rates are one or more numbers, each higher than the one before.")
        }
        if (pushRates + [latencyRate]).contains(where: { $0 < clientsPerTrip }) {
            throw ValidationError("--push-rates and --latency-rate are at least --clients-per-trip.")
        }
        if pushSeconds < 1 { throw ValidationError("--push-seconds is at least 1.") }
    }
}
