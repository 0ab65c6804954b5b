import ArgumentParser

/// How much a run of the benchmark measures, as options of the command.
struct BenchPlan: ParsableArguments {
    @Option(help: "Records of a backlog.")
    var records = 1_000_000

    @Option(help: "Drivers of the usual backlog.")
    var drivers = 5_000

    @Option(help: "Drivers of the large backlog, which is measured once.")
    var manyDrivers = 200_000

    @Option(help: "Partitions of every topic.")
    var partitions = 6

    @Option(help: "How often throughput is measured.")
    var repetitions = 5

    /// Of the stores, which take longest and scatter least.
    var sinkRepetitions: Int { min(repetitions, 3) }

    @Option(help: "Seconds for which latencies are measured, per rate.")
    var latencySeconds = 10.0

    @Option(parsing: .upToNextOption, help: "Updates per second at which latencies are measured.")
    var rates = [500, 2_000, 5_000]

    @Flag(help: "Measure latencies on the client library's mock cluster, which answers at once, instead of a broker.")
    var mockBroker = false

    @Option(parsing: .upToNextOption, help: "Fleets whose memory is measured; the last one's state is restored.")
    var fleets = [1_000, 100_000, 1_000_000]

    @OptionGroup var gateway: GatewayPlan

    func validate() throws {
        if records < 10_000 { throw ValidationError("--records is at least 10000: less tells nothing.") }
        if fleets.isEmpty || fleets.contains(where: { $0 < 1 }) {
            throw ValidationError("--fleets are one or more numbers of drivers.")
        }
        if drivers < 1 || manyDrivers < 1 { throw ValidationError("--drivers and --many-drivers are at least 1.") }
        if !(1...1000).contains(partitions) { throw ValidationError("--partitions is 1 to 1000.") }
        if !(1...100).contains(repetitions) { throw ValidationError("--repetitions is 1 to 100.") }
        if rates.isEmpty || rates.contains(where: { $0 < 1 }) { throw ValidationError("--rates are at least 1.") }
        if latencySeconds < 1 { throw ValidationError("--latency-seconds is at least 1.") }
    }
}
