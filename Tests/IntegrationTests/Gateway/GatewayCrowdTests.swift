import Foundation
import TestSupport
import Testing

@Suite(
    "A thousand clients of a gateway", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayCrowdTests {
    private static let processes = 4
    private static let clientsPerProcess = 250
    /// A machine that runs other tests beside a thousand clients is slow.
    private static let patienceSeconds = 240.0

    @Test("resume without a gap after the gateway was killed")
    func kill() async throws {
        let followed = try await FollowedFleet(drivers: 30, options: ["--cheaters", "0"])
        defer { followed.end() }
        let (trips, _) = try await followed.channels(trips: Self.processes)
        var clients: [FollowingClients] = []
        defer { for one in clients { one.end() } }
        for trip in trips {
            let folder = followed.stack.logs.appendingPathComponent("clients-\(clients.count)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            clients.append(
                try FollowingClients(
                    Self.clientsPerProcess, of: [trip], port: followed.port, token: followed.token, folder: folder))
        }
        try await eventually(
            "all clients receive positions: \(clients.map(\.clientsWithPositions))", within: Self.patienceSeconds
        ) {
            for one in clients { try #require(one.isRunning, "\(one.output.suffix(500))") }
            return clients.allSatisfy { $0.clientsWithPositions == Self.clientsPerProcess }
        }
        try await followed.killGateway()
        try await followed.startGateway()
        try await eventually(
            "all clients receive positions again: \(clients.map(\.clientsWithPositionsAgain))",
            within: Self.patienceSeconds
        ) {
            clients.allSatisfy { $0.clientsWithPositionsAgain == Self.clientsPerProcess }
        }
        try await followed.finish()
        let report = try await ReceivedReport.auditEverything(clients, followed.stack)
        let count = Self.processes * Self.clientsPerProcess
        #expect(report.differences == 0 && report.received.clients == count)
        #expect(report.received.connections >= 2 * count, "each connected again")
        #expect(report.received.fullRefreshes == 0, "each resumed")
        #expect(try report.check.compared > 4 * count)
    }
}
