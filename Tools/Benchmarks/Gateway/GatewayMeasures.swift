import Foundation
import SightlineCLI

/// Measurements of one server over the repetitions.
struct GatewayRuns {
    var memory: [ConnectionMemory] = []
    /// The highest sustained rate of each repetition; `nil` if none was sustained.
    var pushes: [PushRun?] = []
    var latency: [PushRun] = []
    var storms: [ReconnectionStorm] = []
    /// Latencies at a plain reader of the topic, without a gateway.
    var brokerLatencies: [LatencyHistogram] = []

    var highestRate: Double? { pushes.map { $0?.pushesPerSecond ?? 0 }.median }
}

/// Memory and processor time of idle connections with a subscription.
struct ConnectionMemory {
    var residentBytesBefore: Double
    var residentBytes: Double
    var connections: Int
    var connectSeconds: Double
    /// Processor seconds per second.
    var idleCPU: Double

    var bytesPerConnection: Double { (residentBytes - residentBytesBefore) / Double(connections) }

    /// Connects a client to each of `channels` and measures them while idle.
    static func measure(_ server: any PushServer, channels: [String], stop: StopSignal) throws -> ConnectionMemory {
        let before = try server.usage()
        let clients = LoadClients(server.target, channels: channels, stop: stop)
        defer { clients.close() }
        let seconds = try clients.waitUntilSubscribed(within: 120)
        // Lets the server release the memory of the handshakes.
        stop.wait(milliseconds: 2000)
        let begin = try server.usage()
        // The gateway checks all channels every 5 s, so that one check is included.
        let idleSeconds = 5
        stop.wait(milliseconds: idleSeconds * 1000)
        try stop.check()
        let end = try server.usage()
        return ConnectionMemory(
            residentBytesBefore: before.residentBytes, residentBytes: end.residentBytes, connections: channels.count,
            connectSeconds: seconds, idleCPU: (end.cpuSeconds - begin.cpuSeconds) / Double(idleSeconds))
    }
}

/// Pushes at one rate.
struct PushRun {
    var pushesPerSecond: Double
    /// Expected number of pushes.
    var expected: Int
    var totals: LoadTotals
    /// Processor time of the server, in µs per push.
    var cpuMicroseconds: Double

    /// Whether the server sustains the rate: at least 99.9 % of the pushes arrive in time, and p99 is at most 1 s.
    ///
    /// The missing pushes may be positions that newer positions replaced for slow clients.
    var isSustained: Bool {
        Double(totals.updates) >= Double(expected) * 0.999 && (totals.latencies.percentile(0.99) ?? .max) <= 1000
    }

    /// Measures `rate` pushes per second to subscribed clients for `seconds`.
    static func measure(
        _ server: any PushServer, _ clients: LoadClients, _ updates: LoadUpdates, plan: GatewayPlan, rate: Int,
        seconds: Double, stop: StopSignal
    ) throws -> PushRun {
        let perTrip = Double(clients.count) / Double(plan.pushTrips)
        try clients.reset()
        let before = try server.usage()
        let sent = try updates.drive(
            trips: plan.pushTrips, ratePerSecond: Double(rate) / perTrip, seconds: seconds, to: server.feed, stop: stop)
        let expected = Int(Double(sent) * perTrip)
        // Pushes that arrive more than 1 s after the last push was sent count as a backlog.
        try clients.waitForUpdates(expected, within: 1)
        let totals = try clients.totals()
        let cpu = try server.usage().cpuSeconds - before.cpuSeconds
        return PushRun(
            pushesPerSecond: Double(rate), expected: expected, totals: totals,
            cpuMicroseconds: cpu * 1e6 / Double(max(1, totals.updates)))
    }

    /// Measures the highest of the plan's rates that a server sustains; returns `nil` if it sustains none.
    ///
    /// Measures a failed rate a second time, because another process may have caused a pause.
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
                progress(
                    "\(server.name): backlog at \(rate) per second, \(run.totals.updates) of \(run.expected) pushes "
                        + "arrived in time, p99 \(run.totals.latencies.percentile(0.99) ?? 0) ms")
                // Keeps the rest of the backlog out of the next measurement.
                try clients.waitForUpdates(run.expected, within: 20)
                return false
            }
            guard isSustained else { break }
        }
        return best
    }
}

/// Reconnection of all clients after a server was killed, while updates continue.
struct ReconnectionStorm {
    /// Seconds from the kill until every client was subscribed again.
    var seconds: Double
    var totals: LoadTotals

    /// Connects a client to each of `channels`, kills the server, and waits until all clients are subscribed again.
    static func measure(
        _ server: any PushServer, _ updates: LoadUpdates, channels: [String], stop: StopSignal
    ) throws -> ReconnectionStorm {
        let clients = LoadClients(server.target, channels: channels, stop: stop)
        defer { clients.close() }
        try clients.waitUntilSubscribed(within: 120)
        // Sends one event to each client, after which the client can resume.
        let sent = try updates.drive(
            trips: channels.count, ratePerSecond: Double(channels.count), seconds: 1, to: server.feed, stop: stop)
        try clients.waitForUpdates(sent, within: 10)
        try clients.reset()
        let began = ContinuousClock.now
        try server.restart()
        // Clients count as subscribed until they detect the end of the connection.
        while try clients.sum(\.subscribed) == clients.count { try stop.check() }
        try updates.drive(trips: channels.count, ratePerSecond: 1000, seconds: 60, to: server.feed, stop: stop) {
            try clients.sum(\.subscribed) < clients.count
        }
        let seconds = began.duration(to: .now) / .seconds(1)
        try clients.waitUntilSubscribed(within: 1)
        return ReconnectionStorm(seconds: seconds, totals: try clients.totals())
    }
}
