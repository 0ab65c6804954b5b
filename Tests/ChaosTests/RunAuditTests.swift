import Foundation
import Testing

@testable import Chaos

@Suite("Run audit")
struct RunAuditTests {
    /// Has `body` read a report with `differences` in the check named, and `beyond` records that clients do not have yet.
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

    /// What the audit of a run says whose report has `differences` in the check named.
    private func audit(_ check: String, _ differences: [String: Int], mixedBuilds: Bool) throws -> RunAudit {
        try withReport(check, differences) {
            try RunAudit(reportPath: $0, text: "what the audit printed", mixedBuilds: mixedBuilds)
        }
    }

    @Test("what clients missed is lost, and what they received twice is doubled")
    func received() throws {
        for (kind, lost, doubled) in [("missing", 2, 0), ("out_of_order", 2, 0), ("doubled", 0, 2), ("wrong", 0, 0)] {
            var run = try audit("verdicts", [:], mixedBuilds: false)
            try withReport("received", [kind: 2]) { try run.addReceived(reportPath: $0, text: "of clients") }
            #expect(!run.isClean && run.differences == 2 && run.findings == ["of clients"], "\(kind)")
            #expect(run.lost == lost && run.doubled == doubled, "\(kind)")
        }
        var run = try audit("verdicts", [:], mixedBuilds: false)
        try withReport("received", [:]) { try run.addReceived(reportPath: $0, text: "of clients") }
        #expect(run.isClean && run.received > 0 && run.findings.isEmpty)
    }

    @Test("a report says how much of what was published clients do not have yet")
    func beyondClients() throws {
        for beyond in [0, 7] {
            #expect(
                try withReport("received", [:], beyond: beyond) { try RunAudit.beyondClients(reportPath: $0) } == beyond
            )
        }
    }

    @Test("a run of one build is clean without any difference, and with none other")
    func oneBuild() throws {
        #expect(try audit("verdicts", [:], mixedBuilds: false).isClean)
        for kind in ["wrong", "missing", "doubled", "contradicted", "out_of_order", "foreign", "stale"] {
            #expect(try !audit("verdicts", [kind: 1], mixedBuilds: false).isClean, "\(kind)")
        }
    }

    @Test("an older build may have judged otherwise, and is counted apart")
    func otherRules() throws {
        for (check, kinds) in [
            ("verdicts", ["wrong"]), ("warnings", ["wrong", "missing", "foreign"]),
            ("rider-updates", ["wrong", "missing", "foreign"]),
        ] {
            for kind in kinds {
                let audit = try audit(check, [kind: 3], mixedBuilds: true)
                #expect(audit.isClean && audit.findings.isEmpty, "\(check) \(kind)")
                #expect(audit.madeByOlderRules == 3)
            }
        }
    }

    @Test("of the warnings and updates that an older build may have made otherwise, at most a quarter is missing")
    func mostMissing() throws {
        for check in ["warnings", "rider-updates"] {
            #expect(try audit(check, ["missing": 25], mixedBuilds: true).isClean)
            let lost = try audit(check, ["missing": 26], mixedBuilds: true)
            #expect(!lost.isClean && lost.lost == 26)
        }
    }

    @Test(
        "a record that another one of its event contradicts is a difference, with one build and with two",
        arguments: ["verdicts", "warnings", "rider-updates", "history", "redis"])
    func contradicted(check: String) throws {
        for mixedBuilds in [false, true] {
            let audit = try audit(check, ["contradicted": 1], mixedBuilds: mixedBuilds)
            #expect(!audit.isClean && audit.differences == 1 && audit.madeByOlderRules == 0)
            #expect(audit.findings == ["what the audit printed"])
        }
    }

    @Test(
        "an upgrade may lose nothing, double nothing and leave nothing in a store that is not in the topics",
        arguments: [
            ("verdicts", "missing"), ("verdicts", "foreign"), ("verdicts", "doubled"), ("verdicts", "out_of_order"),
            ("warnings", "doubled"), ("rider-updates", "out_of_order"), ("history", "missing"),
            ("redis", "stale"),
        ])
    func whatHolds(check: String, kind: String) throws {
        let audit = try audit(check, ["wrong": 1].merging([kind: 1]) { $1 }, mixedBuilds: true)
        #expect(!audit.isClean)
        #expect(audit.findings == ["what the audit printed"])
    }
}
