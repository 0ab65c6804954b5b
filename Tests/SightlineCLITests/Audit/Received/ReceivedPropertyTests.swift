import Testing

@testable import SightlineCLI

@Suite("Random logs of clients")
struct ReceivedPropertyTests {
    @Test("a log without a fault has no difference")
    func clean() throws {
        var (received, refreshes) = (0, 0)
        for _ in 0..<150 {
            let seed = UInt64.random(in: 0...UInt64.max)
            let client = RandomClient(seed: seed)
            guard try !client.traffic.log().channels.isEmpty else { continue }
            let (check, totals) = try client.traffic.compare()
            #expect(check.counts == [:], "seed \(seed): \(check.examples)")
            #expect(check.compared == client.places.count, "seed \(seed)")
            #expect(totals.fullRefreshes == client.fullRefreshes, "seed \(seed)")
            received += check.compared
            refreshes += totals.fullRefreshes
        }
        #expect(received > 1000 && refreshes > 20)
    }

    @Test(
        "a log that is damaged in one place has one difference, of the right kind",
        arguments: [.missing, .doubled, .outOfOrder, .wrong, .foreign] as [AuditDifference.Kind])
    func damaged(kind: AuditDifference.Kind) throws {
        var damaged = 0
        for _ in 0..<100 {
            let seed = UInt64.random(in: 0...UInt64.max)
            var client = RandomClient(seed: seed)
            guard client.damage(kind) else { continue }
            damaged += 1
            let check = try client.traffic.compare().check
            #expect(check.counts == [kind: 1], "seed \(seed): \(check.examples)")
        }
        #expect(damaged > 30)
    }
}
