import ChildProcesses
import Foundation
import TestSupport

/// Clients that follow routes and trips through a rider-gateway during faults.
///
/// One process of Examples/follow.py runs all clients and writes a log of received messages for each. Each client
/// reconnects every few seconds, so it resumes before, during and after faults.
final class Riders {
    private static let clients = 2
    private static let secondsPerConnection = 7
    private static let maximumChannels = 4

    /// The current gateway; after a kill, a new gateway on the same port.
    private var gateway: Component
    private let gatewayEnvironment: [String: String]
    private let process: ChildProcess
    private let environment: [String: String]
    private let folder: String
    private let logs: [ClientLog]
    private var hasReportedExit = false

    /// Starts a gateway and clients that follow some of the published channels.
    ///
    /// - Throws: ``ChaosError`` if a client receives nothing within a minute.
    init(environment: [String: String], name: String, services: Services, folder: String, fleet: Fleet) throws {
        self.environment = environment
        self.folder = folder
        let secret = try ChaosPrograms.sightline(["token", "--new-secret"], environment)
        let secrets = environment.merging(["SIGHTLINE_TOKEN_SECRET": secret]) { $1 }
        let token = try ChaosPrograms.sightline(
            ["token", "--trip", "*", "--route", "*", "--expires", "7d"], secrets)
        let port = String(try FreePort.find())
        gatewayEnvironment = secrets.merging(["SIGHTLINE_RIDER_HOST": "127.0.0.1", "SIGHTLINE_RIDER_PORT": port]) { $1 }
        gateway = try Self.startGateway(gatewayEnvironment, folder)
        let channels = try Self.channels(name, services, fleet)
        let log = "\(folder)/client.log"
        logs = (1...Self.clients).map { ClientLog(URL(fileURLWithPath: "\(log).\($0)")) }
        let root = ChaosPrograms.root
        process = try ChildProcess(
            "python3",
            [
                "\(root)/Examples/follow.py", "--url", "ws://127.0.0.1:\(port)/realtime", "--token", token,
                "--log", log, "--clients", String(Self.clients), "--reconnect-every",
                String(Self.secondsPerConnection),
            ] + channels,
            environment: ChaosPrograms.merged(["PYTHONPATH": "\(root)/.local/python"]),
            output: .file("\(folder)/follow.log"))
        guard try waitForEvents(seconds: 60, fleet) != nil else {
            throw ChaosError("Clients receive no events: \(state)")
        }
    }

    /// Waits until every client has received another event.
    /// - Returns: the elapsed seconds; `nil` after `seconds`.
    func waitForEvents(seconds: Double, _ fleet: Fleet) throws -> Double? {
        let before = logs.map(\.eventCount)
        return try fleet.wait(upTo: seconds) { zip(logs, before).allSatisfy { $0.eventCount > $1 } }
    }

    /// Kills the gateway, starts a new gateway after `pause` seconds, and waits for events at the clients.
    ///
    /// The new gateway uses the same port; every client must receive an event from it.
    /// - Returns: the seconds since the kill; `nil` if a client received nothing within `seconds` of the start.
    func killGateway(pause: Double, seconds: Double, _ fleet: Fleet) throws -> Double? {
        gateway.process.end()
        let killed = ContinuousClock.now
        let before = logs.map(\.connectionCount)
        try fleet.wait(seconds: pause)
        gateway = try Self.startGateway(gatewayEnvironment, folder)
        let areServed = try fleet.wait(upTo: seconds) {
            zip(logs, before).allSatisfy { $0.connectionCount > $1 && $0.hasEventInLastConnection }
        }
        return areServed.map { _ in killed.elapsedSeconds }
    }

    /// Returns descriptions of unexpected exits of the gateway and the clients; empty after the first report.
    func newViolations() -> [String] {
        guard !hasReportedExit else { return [] }
        var violations = gateway.failure.map { ["rider-gateway exited unexpectedly with \($0)"] } ?? []
        if let ending = process.ending { violations.append("the clients exited with \(ending): \(output)") }
        hasReportedExit = !violations.isEmpty
        return violations
    }

    /// Waits until the clients have received everything published, then ends them and the gateway.
    ///
    /// - Returns: the path of the JSON report of `sightline-client-audit`, and its printed text.
    func finish(_ fleet: Fleet) throws -> (path: String, text: String) {
        let path = "\(folder)/received.json"
        var text = ""
        let hasAll = try fleet.wait(upTo: 90) {
            text = try ChaosPrograms.clientAudit(
                ["--json", path] + logs.map { try $0.copy().path }, environment)
            return try RunAudit.beyondClients(reportPath: path) == 0
        }
        guard hasAll != nil else { throw ChaosError("Clients do not receive the last updates: \(text) \(state)") }
        process.end()
        gateway.process.end()
        return (path, text)
    }

    private static func startGateway(_ environment: [String: String], _ folder: String) throws -> Component {
        try Component("rider-gateway", log: "rider-gateway", environment: environment, folder: folder)
    }

    private var state: String { "gateway: \(gateway.failure ?? "running"); clients: \(output)" }

    private var output: String { ChaosPrograms.logTail("\(folder)/follow.log", 500) }

    /// Selects routes and trips that have updates.
    private static func channels(_ name: String, _ services: Services, _ fleet: Fleet) throws -> [String] {
        func published(_ kind: String) throws -> [String] {
            try services.redisKeys("\(name):\(kind):*").map { String($0.dropFirst(name.count + 1)) }
                .filter { !$0.hasSuffix(":events") }.sorted()
        }
        var routes: [String] = []
        var trips: [String] = []
        let elapsed = try fleet.wait(upTo: 60) {
            (routes, trips) = (try published("route"), try published("trip"))
            return !routes.isEmpty && trips.count >= maximumChannels
        }
        guard elapsed != nil else {
            throw ChaosError("No route, or fewer than \(maximumChannels) trips, were published within a minute.")
        }
        return Array(routes.prefix(maximumChannels) + trips.prefix(maximumChannels))
    }
}
