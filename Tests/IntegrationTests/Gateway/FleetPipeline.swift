import ChildProcesses
import Foundation
import Redis
import TestSupport
import Testing

/// Complete pipeline with a simulated fleet, a rider-gateway, and a token for all trips and routes.
final class FleetPipeline {
    let stack: PipelineStack
    /// Port of the gateway for clients.
    let port: Int
    let token: String
    let fleet: Program
    private let settings: [String: String]
    private var gateway: PipelineStack.Worker

    /// Starts all processes; the fleet drives until ``finish()`` or ``end()``.
    ///
    /// `options` are further options of `sightline simulate`.
    init(drivers: Int, options: [String] = []) async throws {
        let stack = try await PipelineStack(partitions: 3)
        self.stack = stack
        do {
            try await stack.startAll()
            port = Int(try FreePort.find())
            let secret = try await stack.sightline("token", "--new-secret")
            settings = [
                "SIGHTLINE_TOKEN_SECRET": secret.trimmingCharacters(in: .whitespacesAndNewlines),
                "SIGHTLINE_RIDER_PORT": String(port),
            ]
            token = try await stack.sightline(
                "token", "--trip", "*", "--route", "*", "--scope", "fleet", extra: settings
            ).trimmingCharacters(in: .whitespacesAndNewlines)
            gateway = try await stack.start("rider-gateway", extra: settings)
            fleet = try Program(
                "sightline", ["simulate", "--drivers", String(drivers), "--seed", "3"] + options,
                environment: stack.environment, logs: stack.logs)
        } catch {
            stack.end()
            throw error
        }
    }

    func end() {
        fleet.end()
        stack.end()
    }

    /// Kills the gateway (SIGKILL).
    func killGateway() async throws {
        gateway.program.send(signal: SIGKILL)
        try await eventually("the gateway has ended") { !self.gateway.program.isRunning }
    }

    /// Stops the gateway gracefully (SIGTERM).
    func stopGateway() async throws {
        gateway.program.send(signal: SIGTERM)
        #expect(try await gateway.program.wait() == 0, "\(gateway.program.output.suffix(1000))")
    }

    /// Starts a gateway at the same port.
    func startGateway() async throws {
        gateway = try await stack.start("rider-gateway", extra: settings)
    }

    /// Stops the fleet, waits until the workers have processed everything, and expects an audit without differences.
    func finish() async throws {
        try #require(fleet.isRunning, "\(fleet.output)")
        fleet.send(signal: SIGINT)
        #expect(try await fleet.wait() == 0, "\(fleet.output)")
        try await stack.sightline("audit", "--wait", "60", "--no-history")
    }

    /// Waits until `count` trips in `states` and a route are published, and returns their channels.
    ///
    /// With the default `states`, the trips are not in progress yet, so arrival times and state changes follow.
    func channels(
        trips count: Int, in states: Set<String> = ["ACCEPTED", "ARRIVED"]
    ) async throws -> (trips: [String], routes: [String]) {
        let redis = try stack.connectToRedis()
        var trips: [String] = []
        var routes: [String] = []
        try await eventually("\(count) trips in \(states) and a route are published: \(trips), \(routes)") {
            try #require(fleet.isRunning, "\(fleet.output)")
            routes = try published("route", redis)
            trips = try published("trip", redis).filter { trip in
                states.contains(try redis.call("HGET", stack.redisPrefix + trip, "state").text ?? "")
            }
            return trips.count >= count && !routes.isEmpty
        }
        return (Array(trips.prefix(count)), routes)
    }

    /// Returns the channels in Redis of a kind, `trip` or `route`.
    private func published(_ kind: String, _ redis: RedisConnection) throws -> [String] {
        var channels: Set<String> = []
        try redis.scan(prefix: stack.redisPrefix, "\(kind):*") { keys in
            channels.formUnion(keys.map { String($0.dropFirst(stack.redisPrefix.count)) })
        }
        return channels.filter { !$0.hasSuffix(":events") }.sorted()
    }
}
