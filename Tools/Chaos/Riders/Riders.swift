import ChildProcesses
import Foundation
import TestSupport

/// Clients that follow routes and trips over a rider-gateway while faults happen, with a log of what each receives.
///
/// They are Examples/follow.py, whose connections are cut again and again; so each resumes before, in and after faults.
final class Riders {
    private static let clients = 2
    private static let secondsPerConnection = 7
    private static let mostTrips = 4
    private static let mostRoutes = 4

    private let gateway: RiderGateway
    private let process: ChildProcess
    private let environment: [String: String]
    private let folder: String
    private let logs: [ClientLog]
    private var isTold = false

    /// Starts a gateway and clients that follow some of the channels published by now.
    ///
    /// - Throws: ``ChaosError`` when they receive nothing within a minute.
    init(environment: [String: String], name: String, services: Services, folder: String, fleet: Fleet) throws {
        self.environment = environment
        self.folder = folder
        let secret = try ChaosPrograms.sightline(["token", "--new-secret"], environment)
        let secrets = environment.merging(["SIGHTLINE_TOKEN_SECRET": secret]) { $1 }
        let token = try ChaosPrograms.sightline(
            ["token", "--trip", "*", "--route", "*", "--expires", "7d"], secrets)
        gateway = try RiderGateway(environment: secrets, folder: folder)
        let channels = try Self.channels(name, services, fleet)
        let log = "\(folder)/client.log"
        logs = (1...Self.clients).map { ClientLog(URL(fileURLWithPath: "\(log).\($0)")) }
        let root = ChaosPrograms.root
        process = try ChildProcess(
            "python3",
            [
                "\(root)/Examples/follow.py", "--url", "ws://127.0.0.1:\(gateway.port)/realtime", "--token", token,
                "--log", log, "--clients", String(Self.clients), "--reconnect-every",
                String(Self.secondsPerConnection),
            ] + channels,
            environment: ChaosPrograms.over(["PYTHONPATH": "\(root)/.local/python"]),
            output: .file("\(folder)/follow.log"))
        guard try hearAgain(seconds: 60, fleet) != nil else { throw ChaosError("Clients hear nothing: \(state)") }
    }

    /// Waits until every client has received an event from now on.
    /// - Returns: after how many seconds that was; `nil` when it was not within `seconds`.
    func hearAgain(seconds: Double, _ fleet: Fleet) throws -> Double? {
        let before = logs.map(\.eventCount)
        return try fleet.wait(upTo: seconds) { zip(logs, before).allSatisfy { $0.eventCount > $1 } }
    }

    /// Ends the gateway by SIGKILL, starts another one at its port `pause` seconds later, and waits until every client
    /// has received an event from that.
    ///
    /// - Returns: how many seconds after the kill that was; `nil` when it was not within `seconds`.
    func killGateway(pause: Double, seconds: Double, _ fleet: Fleet) throws -> Double? {
        gateway.kill()
        let killed = ContinuousClock.now
        // No connection outlives its gateway.
        let before = logs.map(\.connectionCount)
        try fleet.wait(seconds: pause)
        try gateway.start()
        let areServed = try fleet.wait(upTo: seconds) {
            zip(logs, before).allSatisfy { $0.connectionCount > $1 && $0.hasEventInLastConnection }
        }
        return areServed.map { _ in killed.seconds }
    }

    /// What should not be: the gateway or the clients have ended by themselves.
    ///
    /// - Returns: the same only once.
    func takeViolations() -> [String] {
        guard !isTold else { return [] }
        var found = gateway.ending.map { ["rider-gateway ended by itself with \($0)"] } ?? []
        if let ending = process.ending { found.append("the clients ended with \(ending): \(output)") }
        isTold = !found.isEmpty
        return found
    }

    /// Waits until the clients have received everything that was published, and ends them and the gateway.
    ///
    /// - Returns: the path of the report of `sightline-client-audit`, and what the audit printed.
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
        gateway.kill()
        return (path, text)
    }

    private var state: String { "gateway: \(gateway.ending ?? "runs"); clients: \(output)" }

    private var output: String {
        String(((try? String(contentsOfFile: "\(folder)/follow.log", encoding: .utf8)) ?? "").suffix(500))
    }

    /// Some routes and trips that have updates.
    private static func channels(_ name: String, _ services: Services, _ fleet: Fleet) throws -> [String] {
        func published(_ kind: String) throws -> [String] {
            try services.redisKeys("\(name):\(kind):*").map { String($0.dropFirst(name.count + 1)) }
                .filter { !$0.hasSuffix(":events") }.sorted()
        }
        var routes: [String] = []
        var trips: [String] = []
        let found = try fleet.wait(upTo: 60) {
            (routes, trips) = (try published("route"), try published("trip"))
            return !routes.isEmpty && trips.count >= mostTrips
        }
        guard found != nil else { throw ChaosError("No routes and trips are published within a minute.") }
        return Array(routes.prefix(mostRoutes) + trips.prefix(mostTrips))
    }
}
