/// How much a run of the benchmark measures.
struct BenchPlan {
    var records = 1_000_000
    var partitions = 6
    var repetitions = 5
    /// Of the stores, which take longest and scatter least.
    var sinkRepetitions: Int { min(repetitions, 3) }
    var drivers = 5_000
    /// The larger fleet, of which there is one repetition only.
    var manyDrivers = 200_000
    /// Drivers whose memory and restore are measured.
    var fleetSizes = [1_000, 100_000, 1_000_000]
    var updatesPerSecond = [500, 2_000, 5_000]
    var latencySeconds = 15.0
    /// Whether latencies are measured on the client library's mock cluster.
    var usesMockBroker = false
}
