import ArgumentParser
import Foundation
import Testing

@testable import SightlineCLI

@Suite("sightline audit --received")
struct ReceivedAuditTests {
    /// What is printed for a mistake in the arguments; empty where there is none.
    private func mistake(_ arguments: String...) -> String {
        do {
            _ = try AuditCommand.parse(arguments)
            return ""
        } catch {
            return AuditCommand.message(for: error)
        }
    }

    @Test("it takes several logs, and options after them")
    func arguments() throws {
        let command = try AuditCommand.parse([
            "--received", "a.log", "b.log", "--allow-coalesced-positions", "--received", "c.log", "--json", "out",
        ])
        #expect(command.received == ["a.log", "b.log", "c.log"] && command.json == "out")
        #expect(command.allowCoalescedPositions && !command.all)
        #expect(try AuditCommand.parse([]).received == [])
    }

    @Test("options of the one audit are refused without it")
    func misplacedOptions() {
        for option in ["--all", "--allow-coalesced-positions"] {
            #expect(mistake(option).contains("\(option) is about what clients received"))
            #expect(mistake("--received", "a.log", option) == "")
        }
        for option in ["--no-redis", "--no-history", "--no-repeats"] {
            #expect(mistake("--received", "a.log", option).contains("\(option) is about the rest"))
            #expect(mistake("--received", "a.log", "--all", option) == "" && mistake(option) == "")
        }
    }

    @Test("the report says who received how much, and the differences with channel, event and line")
    func report() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.connect()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(6...6)
        let (check, totals) = try traffic.compare()
        var report = AuditReport(partitions: [3, 4, 5], checks: [check], recordsRead: 60, received: totals)
        let text = report.text
        #expect(text.hasPrefix("Audit of what clients received, in 3 partitions\n"))
        #expect(text.contains("  1 client, 1 connection, 1 subscribed channel, 0 states in full after the first\n"))
        #expect(text.contains("2 compared, 1 missing, (13 after the last that the client received)"))
        #expect(text.contains("missing: partition 3 offset 10, event 3-5, trip:a: client.log, line 3: "))
        #expect(text.hasSuffix("1 differences."))
        let object = try #require(
            try JSONSerialization.jsonObject(with: try ReportFile.json(report)) as? [String: Any])
        let received = try #require(object["received"] as? [String: Int])
        #expect(received == ["clients": 1, "connections": 1, "channels": 1, "full_refreshes": 0])

        let etas = AuditCheck("etas", "", exampleLimit: 1)
        report.add(AuditReport(partitions: [3, 4, 5], checks: [etas], recordsRead: 5))
        #expect(report.text.hasPrefix("Audit of 3 partitions\n") && report.received == totals)
        #expect(report.checks.map(\.name) == ["received", "etas"] && report.recordsRead == 65)
    }

    @Test("at most as many differences are shown as asked for")
    func examples() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["4-19", "5-19"])
        traffic.receive(19...19)
        let log = try traffic.log()
        let check = ReceivedSession.check(exampleLimit: 3)
        _ = ReceivedComparison(log, with: try traffic.records(of: log.channels), check: check).run()
        #expect(check.counts == [.missing: 19] && check.examples.map { $0.event?.offset } == [0, 1, 2])
    }
}
