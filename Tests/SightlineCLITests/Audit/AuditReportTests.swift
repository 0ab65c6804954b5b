import Foundation
import Testing

@testable import Domain
@testable import SightlineCLI

@Suite("Audit report")
struct AuditReportTests {
    private func report(_ count: Int) -> AuditReport {
        let checks = AuditChecks(examples: 2)
        checks.verdicts.compared = 100
        for number in 0..<count {
            checks.verdicts.add(
                AuditDifference(
                    kind: .outOfOrder, partition: 3, offset: Int64(number), event: EventID(partition: 3, offset: 8),
                    key: "drv_1",
                    what: "it is late"))
        }
        checks.etas.tolerate(.retention, 4)
        return AuditReport(partitions: [3], checks: checks.all(), recordsRead: 200)
    }

    @Test("without differences, the report prints the counts and the tolerated records")
    func clean() {
        let text = report(0).text
        #expect(text.hasSuffix("No differences."))
        #expect(text.contains("100 compared") && text.contains("(4 deleted by retention)"))
        #expect(!text.contains("rule:"))
    }

    @Test("differences are counted by kind, and the first two are printed with partition and offset")
    func differences() {
        let report = report(5)
        #expect(report.differences == 5)
        #expect(report.text.contains("5 out of order"))
        #expect(report.text.contains("out of order: partition 3 offset 1, event 3-8, drv_1: it is late"))
        #expect(!report.text.contains("offset 2,") && report.text.contains("and 3 more"))
    }

    @Test("a worker that has not reached the end of its input is a difference")
    func behind() {
        let checks = AuditChecks(examples: 2)
        checks.add([CatchUp.Laggard(worker: "eta-worker", topic: "trips", partition: 1, records: 7)], of: 9)
        #expect(checks.caughtUp.counts == [.behind: 1] && checks.caughtUp.compared == 9)
        #expect(checks.caughtUp.examples.first?.what == "eta-worker has not processed 7 records of trips")
    }

    @Test("the JSON has a count for every kind of difference, and examples")
    func json() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: try ReportFile.json(report(5))) as? [String: Any])
        #expect(object["differences"] as? Int == 5 && object["records_read"] as? Int == 200)
        let checks = try #require(object["checks"] as? [[String: Any]])
        let verdicts = try #require(checks.first { $0["name"] as? String == "verdicts" })
        let counts = try #require(verdicts["differences"] as? [String: Int])
        #expect(counts.count == AuditDifference.Kind.allCases.count && counts["out_of_order"] == 5)
        let example = try #require((verdicts["examples"] as? [[String: Any]])?.first)
        #expect(example["event"] as? String == "3-8" && example["partition"] as? Int == 3)
    }
}
