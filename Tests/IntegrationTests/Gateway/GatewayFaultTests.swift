import Foundation
import TestSupport
import Testing

@Suite(
    "Clients of a gateway behind a network with faults", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayFaultTests {
    private static let clientsPerFault = 2

    @Test(
        "receive every event once: a socket that dies, a tunnel, 20 % loss, 2 to 5 s of delay, all sockets at once")
    func faults() async throws {
        let followed = try await FollowedFleet(drivers: 30, options: ["--ride-meters", "250"])
        defer { followed.end() }
        let stack = followed.stack
        let network = try await FaultyNetwork(to: followed.port, period: 4, logs: stack.logs)
        defer { network.end() }
        let (trips, routes) = try await followed.channels(trips: 6)
        var clients: [FaultyNetwork.Fault: FollowingClients] = [:]
        defer { for one in clients.values { one.end() } }
        for (fault, port) in network.ports {
            let folder = stack.logs.appendingPathComponent(fault.rawValue)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            clients[fault] = try FollowingClients(
                Self.clientsPerFault, of: trips + routes.prefix(1), port: port, token: followed.token, folder: folder)
        }
        var told: [FaultyNetwork.Fault: [Int]] = [:]
        try await eventually("every fault is injected, and every client has arrival times and changes: \(told)") {
            for one in clients.values { try #require(one.isRunning, "\(one.output.suffix(500))") }
            try #require(network.isRunning, "\(network.output.suffix(500))")
            told = clients.mapValues { $0.eventCounts(of: "eta_update") + $0.eventCounts(of: "trip_state_changed") }
            return network.ports.keys.allSatisfy { network.count(of: $0) > 3 * Self.clientsPerFault }
                && told.values.joined().allSatisfy { $0 > 0 }
        }
        try await followed.finish()
        let report = try await ReceivedReport.auditEverything(Array(clients.values), stack)
        let seed = network.output.prefix { $0 != "\n" }
        #expect(report.differences == 0, "\(seed)")
        #expect(report.received.clients == Self.clientsPerFault * FaultyNetwork.Fault.allCases.count)
        for fault in FaultyNetwork.Fault.allCases {
            let one = try #require(clients[fault])
            #expect(one.isRunning, "\(fault): \(one.output.suffix(1000))")
        }
        for fault in [FaultyNetwork.Fault.cut, .tunnel, .killEvery] {
            let logs = try clients[fault]?.copies() ?? []
            let reconnections = try await ReceivedReport.audit(logs, stack).received.connections - logs.count
            #expect(reconnections > 0, "\(fault) ended connections; \(seed)")
        }
    }
}
