import Testing

@testable import ClientAudit

@Suite("Random logs of clients")
struct ReceivedPropertyTests {
    @Test("a correct log has no difference")
    func clean() throws {
        var (received, snapshots) = (0, 0)
        for _ in 0..<150 {
            let seed = UInt64.random(in: 0...UInt64.max)
            let client = RandomClient(seed: seed)
            guard try !client.traffic.log().channels.isEmpty else { continue }
            let report = try client.traffic.compare()
            #expect(report.counts == [:], "seed \(seed): \(report.examples)")
            #expect(report.compared == client.loggedEvents.count, "seed \(seed)")
            #expect(report.fullSnapshots == client.fullSnapshots, "seed \(seed)")
            received += report.compared
            snapshots += report.fullSnapshots
        }
        #expect(received > 1000 && snapshots > 20)
    }

    @Test(
        "one error in a log is one difference of the right kind", arguments: ClientReport.Kind.allCases)
    func damaged(kind: ClientReport.Kind) throws {
        var damaged = 0
        for _ in 0..<100 {
            let seed = UInt64.random(in: 0...UInt64.max)
            var client = RandomClient(seed: seed)
            guard client.damage(kind) else { continue }
            damaged += 1
            let report = try client.traffic.compare()
            #expect(report.counts == [kind: 1], "seed \(seed): \(report.examples)")
        }
        #expect(damaged > 30)
    }
}
