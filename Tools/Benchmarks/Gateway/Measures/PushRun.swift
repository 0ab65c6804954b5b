import SightlineCLI

/// Updates pushed at one rate for a while.
struct PushRun {
    var pushesPerSecond: Double
    /// How many should have come.
    var expected: Int
    var totals: LoadTotals
    /// Processor time of the server, in µs per push.
    var cpuMicroseconds: Double

    /// How long after the last update was sent the last push may come: more is a backlog.
    private static let patienceSeconds = 1.0
    /// Latencies beyond this are a backlog too, in milliseconds.
    private static let longestMilliseconds = 1000
    /// Positions that give way to newer ones for slow clients are none that were pushed.
    private static let lowestShare = 0.999

    /// Whether the server keeps up with the rate.
    var isSustained: Bool {
        Double(totals.updates) >= Double(expected) * Self.lowestShare
            && (totals.latencies.percentile(0.99) ?? .max) <= Self.longestMilliseconds
    }

    /// Why the server does not keep up with the rate.
    private var backlog: String {
        "\(Int(pushesPerSecond)) per second are too much, \(totals.updates) of \(expected) pushes came in time, "
            + "p99 \(totals.latencies.percentile(0.99) ?? 0) ms"
    }

    /// Pushes at `rate` to clients that are subscribed, `perTrip` to each of the drive's trips.
    static func measure(
        _ server: any PushServer, _ clients: LoadClients, _ updates: LoadUpdates, plan: GatewayPlan, rate: Int,
        seconds: Double, stop: StopSignal
    ) throws -> PushRun {
        let perTrip = Double(clients.count) / Double(plan.pushTrips)
        let drive = UpdateDrive(
            updates: updates, trips: plan.pushTrips, ratePerSecond: Double(rate) / perTrip, stop: stop)
        try clients.reset()
        let before = try server.usage()
        let sent = try drive.run(seconds: seconds, to: server.feed)
        let expected = Int(Double(sent) * perTrip)
        try clients.waitForUpdates(expected, within: patienceSeconds)
        let totals = try clients.totals()
        let cpu = try server.usage().cpuSeconds - before.cpuSeconds
        return PushRun(
            pushesPerSecond: Double(rate), expected: expected, totals: totals,
            cpuMicroseconds: cpu * 1e6 / Double(max(1, totals.updates)))
    }

    /// The highest of the plan's rates that a server keeps up with; `nil` where the lowest is too much.
    ///
    /// A rate that fails is tried once more: on a busy machine one pause of another process is no backlog.
    static func highest(
        _ server: any PushServer, _ clients: LoadClients, _ updates: LoadUpdates, plan: GatewayPlan, stop: StopSignal,
        progress: (String) -> Void
    ) throws -> PushRun? {
        var best: PushRun?
        for rate in plan.pushRates {
            let isSustained = try (1...2).contains { _ in
                let run = try measure(
                    server, clients, updates, plan: plan, rate: rate, seconds: plan.pushSeconds, stop: stop)
                guard !run.isSustained else {
                    best = run
                    return true
                }
                progress("\(server.name): \(run.backlog)")
                // What is left of a backlog is not to count for the next rate.
                try clients.waitForUpdates(run.expected, within: 20)
                return false
            }
            guard isSustained else { break }
        }
        return best
    }
}
