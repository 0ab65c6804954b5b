import Foundation
import Testing

@testable import Chaos

@Suite("Run audit")
struct RunAuditTests {
    /// What the audit of a run says whose report has `differences` in the check named.
    private func audit(_ check: String, _ differences: [String: Int], mixedBuilds: Bool) throws -> RunAudit {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("audit-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: path) }
        let checks = ["verdicts", "warnings", "rider-updates", "history", "redis"].map { name in
            ["name": name, "compared": 100, "repeated": 0, "differences": name == check ? differences : [:]]
                as [String: Any]
        }
        let report: [String: Any] = ["differences": differences.values.reduce(0, +), "checks": checks]
        try JSONSerialization.data(withJSONObject: report).write(to: path)
        return try RunAudit(reportPath: path.path, text: "what the audit printed", mixedBuilds: mixedBuilds)
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
