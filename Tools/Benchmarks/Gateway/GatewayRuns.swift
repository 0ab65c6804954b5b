import SightlineCLI

/// What a server reached in the repetitions of a run.
struct GatewayRuns {
    var memory: [ConnectionMemory] = []
    /// The highest rate of each repetition; `nil` where the lowest was too much.
    var pushes: [PushRun?] = []
    var latency: [PushRun] = []
    var storms: [ReconnectionStorm] = []
    /// From a topic to a plain reader, where the server is fed by a topic.
    var hops: [LatencyHistogram] = []

    var highestRate: Double? { pushes.map { $0?.pushesPerSecond ?? 0 }.median }
}
