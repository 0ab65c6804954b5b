import Foundation
import TestSupport
import Testing

/// JSON report of `sightline-client-audit`.
struct ClientAuditReport: Decodable {
    struct Check: Decodable {
        var name: String
        var compared: Int
        var excused: [String: Int]
    }
    struct Received: Decodable {
        enum CodingKeys: String, CodingKey {
            case clients, connections, channels
            case fullRefreshes = "full_refreshes"
        }
        var clients: Int
        var connections: Int
        var channels: Int
        var fullRefreshes: Int
    }
    var differences: Int
    var checks: [Check]
    var received: Received

    /// Comparison of received events with the topic rider.updates.
    var receivedCheck: Check { get throws { try #require(checks.first { $0.name == "received" }) } }

    /// Audits client logs; throws if the audit finds a difference.
    static func audit(_ logs: [URL], _ stack: PipelineStack) async throws -> ClientAuditReport {
        let file = stack.logs.appendingPathComponent("received-\(UUID().uuidString.prefix(8)).json")
        let program = try Program(
            "sightline-client-audit", ["--json", file.path] + logs.map(\.path),
            environment: stack.environment, logs: stack.logs)
        defer { program.discard() }
        let code = try await program.wait()
        try #require(code == 0, "\(program.output)")
        return try JSONDecoder().decode(ClientAuditReport.self, from: try Data(contentsOf: file))
    }

    /// Audits clients repeatedly until they have received every record of their channels.
    ///
    /// Throws if an audit finds a difference.
    static func auditEverything(_ clients: [RiderClients], _ stack: PipelineStack) async throws -> ClientAuditReport {
        var last: ClientAuditReport?
        try await eventually("clients have received everything that was published") {
            let report = try await audit(try clients.flatMap { try $0.copies() }, stack)
            last = report
            return try report.receivedCheck.excused["beyond_client", default: 0] == 0
        }
        return try #require(last)
    }
}
