import ChildProcesses
import Foundation
import Redis
import TestSupport
import Testing

/// A whole pipeline with a simulated fleet, and a rider-gateway whose clients may follow all of it.
final class FollowedFleet {
    let stack: PipelineStack
    /// Where clients of the gateway connect.
    let port: Int
    let token: String
    let fleet: Program
    private let settings: [String: String]
    private var gateway: PipelineStack.Worker

    /// Starts everything; the fleet drives until ``finish()``.
    ///
    /// `options`: further options of `sightline simulate`.
    init(drivers: Int, seed: Int = 3, options: [String] = []) async throws {
        let stack = try await PipelineStack(partitions: 3)
        self.stack = stack
        do {
            try await stack.startAll()
            port = Int(try FreePort.take())
            let secret = try await stack.sightline("token", "--new-secret")
            settings = [
                "SIGHTLINE_TOKEN_SECRET": secret.trimmingCharacters(in: .whitespacesAndNewlines),
                "SIGHTLINE_RIDER_PORT": String(port),
            ]
            token = try await Program.run(
                "sightline", ["token", "--trip", "*", "--route", "*", "--scope", "fleet"],
                environment: stack.environment.merging(settings) { $1 }, logs: stack.logs
            ).trimmingCharacters(in: .whitespacesAndNewlines)
            gateway = try await stack.start("rider-gateway", extra: settings)
            fleet = try Program(
                "sightline",
                ["simulate", "--drivers", String(drivers), "--seed", String(seed)] + options,
                environment: stack.environment, logs: stack.logs)
        } catch {
            stack.end()
            throw error
        }
    }

    /// Ends the fleet and all workers.
    func end() {
        fleet.end()
        stack.end()
    }

    /// Ends the gateway by SIGKILL.
    func killGateway() async throws {
        gateway.program.send(signal: SIGKILL)
        try await eventually("the gateway is gone") { !self.gateway.program.isRunning }
    }

    /// Ends the gateway in order.
    func stopGateway() async throws {
        gateway.program.send(signal: SIGTERM)
        #expect(try await gateway.program.wait() == 0, "\(gateway.program.output.suffix(1000))")
    }

    /// Starts a gateway at the port of the one before.
    func startGateway() async throws {
        gateway = try await stack.start("rider-gateway", extra: settings)
    }

    /// Stops the fleet, and waits until the workers have published everything.
    func finish() async throws {
        try #require(fleet.isRunning, "\(fleet.output)")
        fleet.send(signal: SIGINT)
        #expect(try await fleet.wait() == 0, "\(fleet.output)")
        try await stack.sightline("audit", "--wait", "60", "--no-history")
    }

    /// Waits until so many trips in one of `states`, and a route, are published; answers their channels.
    ///
    /// A trip that is accepted and not under way yet has arrival times and changes of its state before it.
    func channels(
        trips count: Int, in states: Set<String> = ["ACCEPTED", "ARRIVED"]
    ) async throws -> (trips: [String], routes: [String]) {
        let redis = try RedisConnection(RedisConfiguration(url: stack.environment["REDIS_URL"] ?? ""))
        var trips: [String] = []
        var routes: [String] = []
        try await eventually("\(count) trips in \(states) and a route are published: \(trips), \(routes)") {
            try #require(fleet.isRunning, "\(fleet.output)")
            routes = try published("route", redis)
            trips = try published("trip", redis).filter { trip in
                states.contains(try redis.call("HGET", prefix + trip, "state").text ?? "")
            }
            return trips.count >= count && !routes.isEmpty
        }
        return (Array(trips.prefix(count)), routes)
    }

    private var prefix: String { stack.environment["SIGHTLINE_REDIS_PREFIX"] ?? "" }

    /// Channels that have been published, without the prefix of their keys; `kind`: `trip` or `route`.
    private func published(_ kind: String, _ redis: RedisConnection) throws -> [String] {
        var found: Set<String> = []
        try redis.scan(prefix: prefix, "\(kind):*") { keys in
            found.formUnion(keys.map { String($0.dropFirst(prefix.count)) })
        }
        return found.filter { !$0.hasSuffix(":events") }.sorted()
    }
}
