import Foundation
import TestSupport
import Testing

/// The report of `sightline-client-audit`.
struct ReceivedReport: Decodable {
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

    var check: Check { get throws { try #require(checks.first { $0.name == "received" }) } }
    /// Records that are on the topic and have not reached the clients.
    var beyond: Int { get throws { try check.excused["beyond_client"] ?? 0 } }

    /// Audits logs of clients, and expects no difference.
    static func audit(_ logs: [URL], _ stack: PipelineStack) async throws -> ReceivedReport {
        let file = stack.logs.appendingPathComponent("received-\(UUID().uuidString.prefix(8)).json")
        let program = try Program(
            "sightline-client-audit", ["--json", file.path] + logs.map(\.path),
            environment: stack.environment, logs: stack.logs)
        defer { program.discard() }
        let code = try await program.wait()
        try #require(code == 0, "\(program.output)")
        return try JSONDecoder().decode(ReceivedReport.self, from: try Data(contentsOf: file))
    }

    /// Audits clients, and expects no difference, again and again until they have received everything that is on the
    /// topic.
    static func auditEverything(_ clients: [FollowingClients], _ stack: PipelineStack) async throws -> ReceivedReport {
        var last: ReceivedReport?
        try await eventually("clients have everything that was published") {
            let report = try await audit(try clients.flatMap { try $0.copies() }, stack)
            last = report
            return try report.beyond == 0
        }
        return try #require(last)
    }
}
