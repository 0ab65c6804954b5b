import Foundation
import Testing

@testable import Chaos

@Suite("Run audit")
struct RunAuditTests {
    /// Writes a report for `body`, with `differences` in one check and `beyond` records not received by clients yet.
    private func withReport<Result>(
        _ check: String, _ differences: [String: Int], beyond: Int = 0, _ body: (String) throws -> Result
    ) throws -> Result {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("audit-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: path) }
        let checks = ["verdicts", "warnings", "rider-updates", "history", "redis", "received"].map { name in
            [
                "name": name, "compared": 100, "repeated": 0, "differences": name == check ? differences : [:],
                "excused": name == "received" ? ["beyond_client": beyond] : [:],
            ] as [String: Any]
        }
        let report: [String: Any] = ["differences": differences.values.reduce(0, +), "checks": checks]
        try JSONSerialization.data(withJSONObject: report).write(to: path)
        return try body(path.path)
    }

    private func audit(_ check: String, _ differences: [String: Int]) throws -> RunAudit {
        try withReport(check, differences) { try RunAudit(reportPath: $0, text: "output") }
    }

    @Test("missing and out-of-order events count as lost, and events received twice as duplicates")
    func received() throws {
        for (kind, lost, duplicates) in [
            ("missing", 2, 0), ("out_of_order", 2, 0), ("duplicate", 0, 2), ("wrong", 0, 0),
        ] {
            var run = try audit("verdicts", [:])
            try withReport("received", [kind: 2]) { try run.addReceived(reportPath: $0, text: "of clients") }
            #expect(!run.isClean && run.differences == 2 && run.findings == ["of clients"], "\(kind)")
            #expect(run.lost == lost && run.duplicates == duplicates, "\(kind)")
        }
        var run = try audit("verdicts", [:])
        try withReport("received", [:]) { try run.addReceived(reportPath: $0, text: "of clients") }
        #expect(run.isClean && run.received > 0 && run.findings.isEmpty)
    }

    @Test("the number of records that clients have not received yet is read from the report", arguments: [0, 7])
    func beyondClients(beyond: Int) throws {
        let count = try withReport("received", [:], beyond: beyond) { try RunAudit.beyondClients(reportPath: $0) }
        #expect(count == beyond)
    }

    @Test("a run is clean only without differences")
    func clean() throws {
        #expect(try audit("verdicts", [:]).isClean)
        for check in ["verdicts", "warnings", "rider-updates", "history", "redis"] {
            for kind in ["wrong", "missing", "duplicate", "contradicted", "out_of_order", "unexpected", "stale"] {
                let run = try audit(check, [kind: 1])
                #expect(!run.isClean && run.differences == 1 && run.findings == ["output"], "\(check) \(kind)")
            }
        }
    }
}
