import KafkaMock
import Runtime
import SightlineCLI

/// rider-gateway with thousands of clients, beside a plain WebSocket server with the same clients and updates.
struct GatewayBench {
    let plan: BenchPlan
    let folder: String
    let progress: (String) -> Void

    func run() throws -> [BenchResult] {
        // A socket of each client, in this process and in those of the servers.
        DescriptorLimit.raise()
        let mock = plan.mockBroker ? try MockCluster() : nil
        let access = try PipelineAccess(bootstrapServers: mock?.bootstrapServers)
        return try BenchStage.with(access, plan: plan, name: "gateway", folder: folder, mock: mock) { stage in
            let keys = try StageKeys(stage)
            let feed = try TopicFeed(stage)
            defer { feed.close() }
            let position = try stage.worker("position-worker")
            let outcome = Result { try measure(stage, keys, feed) }
            position.stop()
            try keys.remove()
            return try outcome.get()
        }
    }

    private func measure(_ stage: BenchStage, _ keys: StageKeys, _ feed: TopicFeed) throws -> [BenchResult] {
        let updates = LoadUpdates(trips: plan.gateway.trips, partitions: plan.partitions)
        progress("gateway: an update of each of \(plan.gateway.trips) trips")
        try UpdateDrive(updates: updates, trips: plan.gateway.trips, ratePerSecond: 50_000, stop: stage.stop)
            .run(seconds: Double(plan.gateway.trips) / 50_000, to: feed)
        try keys.wait(for: updates.channels)
        let server = try GatewayServer(stage, feed: feed)
        defer { server.stop() }
        // Without the plain server the gateway can be measured all the same.
        let (plain, problem) = startPlain()
        defer { plain?.stop() }
        var gatewayRuns = GatewayRuns()
        var plainRuns = GatewayRuns()
        for repetition in 1...plan.sinkRepetitions {
            progress("gateway, \(repetition) of \(plan.sinkRepetitions)")
            try measure(server, updates, stage, into: &gatewayRuns)
            if let plain { try measure(plain, updates, stage, into: &plainRuns) }
        }
        var results = GatewayResults(plan: plan.gateway, gateway: gatewayRuns, plain: plainRuns).all
        for index in results.indices { results[index].broker = plan.mockBroker ? "librdkafka mock" : nil }
        return results + [problem].compactMap(\.self)
    }

    private func startPlain() -> (PlainServer?, BenchResult?) {
        do { return (try PlainServer(folder: folder), nil) } catch {
            var result = BenchResult("gateway_plain")
            result.error = "\(error)"
            return (nil, result)
        }
    }

    /// Measures everything once.
    private func measure(
        _ server: any PushServer, _ updates: LoadUpdates, _ stage: BenchStage, into runs: inout GatewayRuns
    ) throws {
        let load = plan.gateway
        progress("\(server.name): memory of \(load.connections) connections")
        let idle = Array(updates.channels.prefix(load.connections))
        runs.memory.append(try ConnectionMemory.measure(server, channels: idle, stop: stage.stop))
        try pushes(server, updates, stage, into: &runs)
        progress("\(server.name): \(load.stormClients) clients connect again")
        let storm = Array(updates.channels.prefix(load.stormClients))
        runs.storms.append(try ReconnectionStorm.measure(server, updates, channels: storm, stop: stage.stop))
    }

    private func pushes(
        _ server: any PushServer, _ updates: LoadUpdates, _ stage: BenchStage, into runs: inout GatewayRuns
    ) throws {
        let load = plan.gateway
        let channels = (0..<load.clients).map { updates.channels[$0 % load.pushTrips] }
        let clients = LoadClients(server.target, channels: channels, stop: stage.stop)
        defer { clients.close() }
        try clients.waitUntilSubscribed(within: 120)
        progress("\(server.name): latency at \(load.latencyRate) pushes per second")
        let hop = server.feed is TopicFeed ? BrokerHop(stage) : nil
        let run = Result {
            try PushRun.measure(
                server, clients, updates, plan: load, rate: load.latencyRate, seconds: plan.latencySeconds,
                stop: stage.stop)
        }
        if let hop { runs.hops.append(try hop.stop()) }
        runs.latency.append(try run.get())
        progress("\(server.name): pushes per second")
        runs.pushes.append(
            try PushRun.highest(server, clients, updates, plan: load, stop: stage.stop, progress: progress))
    }
}
