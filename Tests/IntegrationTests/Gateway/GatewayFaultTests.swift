import Foundation
import TestSupport
import Testing

@Suite(
    "Clients of rider-gateway behind a faulty network", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayFaultTests {
    private static let clientsPerFault = 2

    @Test("Clients receive every event once despite resets, blocked connections, 20 % loss and delays of 2 to 5 s")
    func clientsReceiveEveryEventOnce() async throws {
        let pipeline = try await FleetPipeline(drivers: 30, options: ["--ride-meters", "250"])
        defer { pipeline.end() }
        let stack = pipeline.stack
        let network = try await FaultyNetwork(to: pipeline.port, period: 4, logs: stack.logs)
        defer { network.end() }
        let (trips, routes) = try await pipeline.channels(trips: 6)
        var clients: [FaultyNetwork.Fault: RiderClients] = [:]
        defer { for process in clients.values { process.end() } }
        for (fault, port) in network.ports {
            let folder = stack.logs.appendingPathComponent(fault.rawValue)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            clients[fault] = try RiderClients(
                Self.clientsPerFault, of: trips + routes.prefix(1), port: port, token: pipeline.token, folder: folder)
        }
        var counts: [FaultyNetwork.Fault: [Int]] = [:]
        try await eventually("every fault was injected; each client received ETAs and state changes: \(counts)") {
            for process in clients.values { try #require(process.isRunning, "\(process.output.suffix(500))") }
            try #require(network.isRunning, "\(network.output.suffix(500))")
            counts = clients.mapValues { $0.eventCounts(of: "eta_update") + $0.eventCounts(of: "trip_state_changed") }
            return network.ports.keys.allSatisfy { network.count(of: $0) > 3 * Self.clientsPerFault }
                && counts.values.joined().allSatisfy { $0 > 0 }
        }
        try await pipeline.finish()
        let report = try await ClientAuditReport.auditEverything(Array(clients.values), stack)
        let seed = network.output.prefix { $0 != "\n" }
        #expect(report.differences == 0, "\(seed)")
        #expect(report.received.clients == Self.clientsPerFault * FaultyNetwork.Fault.allCases.count)
        for fault in FaultyNetwork.Fault.allCases {
            let process = try #require(clients[fault])
            #expect(process.isRunning, "\(fault): \(process.output.suffix(1000))")
        }
        for fault in [FaultyNetwork.Fault.cut, .tunnel, .killEvery] {
            let logs = try clients[fault]?.copies() ?? []
            let reconnections = try await ClientAuditReport.audit(logs, stack).received.connections - logs.count
            #expect(reconnections > 0, "\(fault) ended connections; \(seed)")
        }
    }
}
