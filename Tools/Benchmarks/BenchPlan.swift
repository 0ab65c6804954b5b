import ArgumentParser

struct BenchPlan: ParsableArguments {
    @Option(help: "Records of a backlog.")
    var records = 1_000_000

    @Option(help: "Drivers of the usual backlog.")
    var drivers = 5_000

    @Option(help: "Drivers of the large backlog, which is measured once.")
    var manyDrivers = 200_000

    @Option(help: "Partitions of every topic.")
    var partitions = 6

    @Option(help: "Repetitions of throughput measurements.")
    var repetitions = 5

    /// Repetitions of history, position and gateway, which take longest and vary least.
    var sinkRepetitions: Int { min(repetitions, 3) }

    @Option(help: "Seconds of each latency measurement.")
    var latencySeconds = 10.0

    @Option(parsing: .upToNextOption, help: "Updates per second for latency measurements.")
    var rates = [500, 2_000, 5_000]

    @Flag(help: "Measure latencies on the client library's mock cluster, which responds at once, instead of a broker.")
    var mockBroker = false

    /// Name of the mock broker in results; `nil` for a real broker.
    var brokerName: String? { mockBroker ? "librdkafka mock" : nil }

    @Option(parsing: .upToNextOption, help: "Fleet sizes for memory; restore uses the last one.")
    var fleets = [1_000, 100_000, 1_000_000]

    @OptionGroup var gateway: GatewayPlan

    func validate() throws {
        if records < 10_000 { throw ValidationError("--records must be at least 10000.") }
        if fleets.isEmpty || fleets.contains(where: { $0 < 1 }) {
            throw ValidationError("--fleets must be one or more numbers of at least 1.")
        }
        if drivers < 1 || manyDrivers < 1 {
            throw ValidationError("--drivers and --many-drivers must be at least 1.")
        }
        if !(1...1000).contains(partitions) { throw ValidationError("--partitions must be between 1 and 1000.") }
        if !(1...100).contains(repetitions) { throw ValidationError("--repetitions must be between 1 and 100.") }
        if rates.isEmpty || rates.contains(where: { $0 < 1 }) {
            throw ValidationError("--rates must be one or more numbers of at least 1.")
        }
        if latencySeconds < 1 { throw ValidationError("--latency-seconds must be at least 1.") }
    }
}

/// Options of `gateway`.
struct GatewayPlan: ParsableArguments {
    @Option(help: "gateway: connections for the memory measurement, each with its own trip.")
    var connections = 10_000

    @Option(help: "gateway: clients that receive pushes.")
    var clients = 2_000

    @Option(help: "gateway: clients per trip that receive pushes.")
    var clientsPerTrip = 10

    @Option(help: "gateway: clients that reconnect at the same time after the gateway was killed.")
    var stormClients = 5_000

    @Option(
        parsing: .upToNextOption, help: "gateway: pushes per second, in ascending order; ends at the first backlog.")
    var pushRates = [5_000, 10_000, 15_000, 20_000, 30_000, 40_000, 60_000, 80_000, 120_000]

    @Option(help: "gateway: seconds per push rate.")
    var pushSeconds = 4.0

    @Option(help: "gateway: pushes per second for latency measurements.")
    var latencyRate = 5_000

    /// Number of trips whose clients receive pushes.
    var pushTrips: Int { max(1, clients / clientsPerTrip) }

    /// Number of trips, sufficient for each measurement.
    var trips: Int { max(connections, stormClients, pushTrips) }

    func validate() throws {
        // Linux has 28,000 ephemeral ports for connections to one address.
        let numbers = [("--connections", connections), ("--clients", clients), ("--storm-clients", stormClients)]
        for (option, number) in numbers where !(1...25_000).contains(number) {
            throw ValidationError("\(option) must be between 1 and 25000.")
        }
        if !(1...clients).contains(clientsPerTrip) {
            throw ValidationError("--clients-per-trip must be between 1 and --clients.")
        }
        if pushRates.isEmpty || zip(pushRates, pushRates.dropFirst()).contains(where: { $0 >= $1 }) {
            throw ValidationError("--push-rates must be one or more numbers in ascending order.")
        }
        if (pushRates + [latencyRate]).contains(where: { $0 < clientsPerTrip }) {
            throw ValidationError("--push-rates and --latency-rate must be at least --clients-per-trip.")
        }
        if pushSeconds < 1 { throw ValidationError("--push-seconds must be at least 1.") }
    }
}
