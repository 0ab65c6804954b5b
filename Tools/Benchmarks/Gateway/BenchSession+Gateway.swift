import Foundation
import KafkaMock
import Recordings
import Redis
import Runtime
import SightlineCLI

/// Measurements of rider-gateway with thousands of clients, compared with a plain WebSocket server.
extension BenchSession {
    func gateway() throws -> [BenchResult] {
        // Every client has a socket in this process and one in a server.
        DescriptorLimit.raise()
        let mock = plan.mockBroker ? try MockCluster() : nil
        let access = try PipelineAccess(bootstrapServers: mock?.bootstrapServers)
        return try Testbed.with(access, plan: plan, name: "gateway", folder: folder, mock: mock) { testbed in
            let keys = try TestbedKeys(testbed)
            let feed = try TopicFeed(testbed)
            defer { feed.close() }
            let position = try testbed.worker("position-worker")
            let outcome = Result { try measureServers(testbed, keys, feed) }
            position.stop()
            // The figures are valid without the removal.
            do { try keys.remove() } catch { progress("The Redis keys \(testbed.prefix)… were not deleted: \(error)") }
            return try outcome.get()
        }
    }

    private func measureServers(_ testbed: Testbed, _ keys: TestbedKeys, _ feed: TopicFeed) throws -> [BenchResult] {
        let updates = LoadUpdates(trips: plan.gateway.trips, partitions: plan.partitions)
        progress("gateway: one update for each of \(plan.gateway.trips) trips")
        try updates.drive(
            trips: plan.gateway.trips, ratePerSecond: 50_000, seconds: Double(plan.gateway.trips) / 50_000, to: feed,
            stop: testbed.stop)
        try keys.wait(for: updates.channels)
        let server = try GatewayServer(testbed, feed: feed)
        defer { server.stop() }
        let failures = makeFailures()
        var plain: PlainServer?
        failures.measure("gateway_plain") { plain = try PlainServer(folder: folder) }
        defer { plain?.stop() }
        var gatewayRuns = GatewayRuns()
        var plainRuns = GatewayRuns()
        for repetition in 1...plan.sinkRepetitions {
            let detail = "repetition \(repetition)"
            progress("gateway, \(repetition) of \(plan.sinkRepetitions)")
            failures.measure("gateway", at: detail) { try measure(server, updates, testbed, into: &gatewayRuns) }
            guard let plain else { continue }
            failures.measure("gateway_plain", at: detail) { try measure(plain, updates, testbed, into: &plainRuns) }
        }
        var results = GatewayResults(plan: plan.gateway, gateway: gatewayRuns, plain: plainRuns).all
        for index in results.indices { results[index].broker = plan.brokerName }
        return failures.applied(to: results)
    }

    /// Measures one repetition of a server.
    private func measure(
        _ server: any PushServer, _ updates: LoadUpdates, _ testbed: Testbed, into runs: inout GatewayRuns
    ) throws {
        let load = plan.gateway
        progress("\(server.name): memory of \(load.connections) connections")
        let idle = Array(updates.channels.prefix(load.connections))
        runs.memory.append(try ConnectionMemory.measure(server, channels: idle, stop: testbed.stop))
        try measurePushes(server, updates, testbed, into: &runs)
        progress("\(server.name): reconnection of \(load.stormClients) clients")
        let storm = Array(updates.channels.prefix(load.stormClients))
        runs.storms.append(try ReconnectionStorm.measure(server, updates, channels: storm, stop: testbed.stop))
    }

    private func measurePushes(
        _ server: any PushServer, _ updates: LoadUpdates, _ testbed: Testbed, into runs: inout GatewayRuns
    ) throws {
        let load = plan.gateway
        let channels = (0..<load.clients).map { updates.channels[$0 % load.pushTrips] }
        let clients = LoadClients(server.target, channels: channels, stop: testbed.stop)
        defer { clients.close() }
        try clients.waitUntilSubscribed(within: 120)
        progress("\(server.name): latency at \(load.latencyRate) pushes per second")
        let follower = server.feed is TopicFeed ? followUpdates(testbed) : nil
        let run = Result {
            try PushRun.measure(
                server, clients, updates, plan: load, rate: load.latencyRate, seconds: plan.latencySeconds,
                stop: testbed.stop)
        }
        if let follower {
            follower.stop()
            try follower.checkFailure()
            runs.brokerLatencies.append(follower.withState { $0 })
        }
        runs.latency.append(try run.get())
        progress("\(server.name): pushes per second")
        runs.pushes.append(
            try PushRun.highest(server, clients, updates, plan: load, stop: testbed.stop, progress: progress))
    }

    /// Starts to measure the delay from the due time of updates to a plain reader of the topic.
    private func followUpdates(_ testbed: Testbed) -> TopicFollower<LatencyHistogram> {
        let begin = UpdateProbe.now
        return testbed.follow([.riderUpdates], from: .end, into: LatencyHistogram()) {
            { message, _, times in
                guard let probe = message.record.value.flatMap({ UpdateProbe.read($0.buffer) }), probe.sentAt >= begin
                else { return }
                times.record(milliseconds: (UpdateProbe.now - probe.sentAt) / 1000)
            }
        }
    }
}

/// Redis keys that the workers of a testbed write.
private final class TestbedKeys {
    /// Keys per command.
    private static let batchSize = 1000

    private let testbed: Testbed
    private let connection: RedisConnection

    init(_ testbed: Testbed) throws {
        self.testbed = testbed
        connection = try RedisConnection(testbed.access.settings.redisConfiguration())
    }

    /// Waits until position-worker has written all of `channels`.
    func wait(for channels: [String]) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        var pending = channels[...]
        while !pending.isEmpty {
            let batch = pending.prefix(Self.batchSize).map { testbed.prefix + $0 }
            guard try send("EXISTS", batch) < batch.count else {
                pending = pending.dropFirst(batch.count)
                continue
            }
            guard ContinuousClock.now < deadline else {
                throw InputError("position-worker did not store \(channels.count) trips within 60 s.")
            }
            try testbed.stop.check()
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Deletes all keys of the testbed after its workers have stopped.
    func remove() throws {
        try connection.scan(prefix: testbed.prefix, "*") { keys in
            if !keys.isEmpty { _ = try send("UNLINK", keys) }
        }
    }

    /// Sends a command with `keys` and returns the number in the response.
    private func send(_ command: StaticString, _ keys: [String]) throws -> Int64 {
        var commands = RedisCommands()
        commands.add(command: command, keys)
        try connection.send(&commands)
        return try connection.receive().integer ?? 0
    }
}
