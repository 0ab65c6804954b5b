import Testing

@testable import Model
@testable import SightlineCLI

@Suite("States in full, missed_events and positions in what a client received")
struct ReceivedRefreshTests {
    private func event(_ offset: Int64) -> EventID { EventID(partition: 3, offset: offset) }

    /// A client that received 5 to 7, the state in full up to 3-11, and 12 to 14.
    private func refreshed() -> ReceivedTraffic {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(5...7)
        traffic.connect()
        traffic.subscribed(["3-11", "4-19", "5-19"])
        traffic.receive(12...14)
        return traffic
    }

    @Test("a state in full stands for the records up to its cursor, and is counted")
    func fullRefresh() throws {
        let (check, totals) = try refreshed().compare()
        #expect(check.counts == [:] && check.compared == 6 && totals.fullRefreshes == 1)
        #expect(check.excused == [.toldInFull: 4, .beyondClient: 5])
        var asked = ReceivedTraffic.ordinary()
        asked.synchronised(["3-4", "4-19", "5-19"], isFull: true)
        asked.receive(5...7)
        asked.synchronised(["3-11", "4-19", "5-19"], isFull: true)
        asked.receive(12...12)
        let again = try asked.compare()
        #expect(again.check.counts == [:] && again.totals.fullRefreshes == 1 && again.check.excused[.toldInFull] == 4)
    }

    @Test("a state in full does not stand for what was left out before, and what it told must not come again")
    func aroundFullRefresh() throws {
        var before = refreshed()
        before.lines.remove(at: 2)
        #expect(try before.compare().check.counts == [.missing: 1])
        var after = refreshed()
        after.lines.remove(at: 6)
        let check = try after.compare().check
        #expect(check.counts == [.missing: 1] && check.examples.first?.event == event(12))
        var again = refreshed()
        again.lines.insert(again.text(event(11)), at: 6)
        let doubled = try again.compare().check
        #expect(doubled.counts == [.doubled: 1])
        #expect(doubled.examples.first?.what == "client.log, line 7: a state in full had told it before")
    }

    @Test("a state in full that is behind the client changes nothing, and what comes again is doubled")
    func refreshBehind() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(5...9)
        traffic.subscribed(["3-8", "4-19", "5-19"])
        traffic.receive(9...10)
        let check = try traffic.compare().check
        #expect(check.counts == [.doubled: 1] && check.examples.first?.event == event(9))
        #expect(check.excused[.toldInFull] == nil)
    }

    @Test("events that a state_sync brings count like those that come one by one, byte for byte")
    func missedEvents() throws {
        func traffic(_ missed: [Int64], changing: (String) -> String = { $0 }) -> ReceivedTraffic {
            var traffic = ReceivedTraffic.ordinary()
            traffic.subscribed(["3-4", "4-19", "5-19"])
            traffic.receive(5...6)
            traffic.connect()
            traffic.synchronised(["3-9", "4-19", "5-19"], missed: missed.map { changing(traffic.text(event($0))) })
            traffic.receive(10...11)
            return traffic
        }
        let clean = try traffic([7, 8, 9]).compare()
        #expect(clean.check.counts == [:] && clean.check.compared == 7 && clean.totals.fullRefreshes == 0)
        for missing in [[8, 9], [7, 9], [7, 8]] as [[Int64]] {
            #expect(try traffic(missing).compare().check.counts == [.missing: 1], "\(missing)")
        }
        #expect(try traffic([7, 9, 8]).compare().check.counts == [.outOfOrder: 1])
        #expect(try traffic([6, 7, 8, 9]).compare().check.counts == [.doubled: 1])
        #expect(try traffic([7, 8, 9]) { $0.replacing("list", with: "lost") }.compare().check.counts == [.wrong: 3])
    }

    @Test("what a state_sync leaves out up to its cursor is missing also where nothing comes after it")
    func endsWithSync() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(5...6)
        traffic.synchronised(["3-8", "4-19", "5-19"], missed: [traffic.text(event(7))])
        let check = try traffic.compare().check
        #expect(check.counts == [.missing: 1] && check.examples.first?.event == event(8))
        #expect(check.examples.first?.what.contains("client.log, line 4:") == true)
    }

    @Test("a log that begins with a resumed answer begins at what the client said it had")
    func beginsResumed() throws {
        var subscribed = ReceivedTraffic.ordinary()
        subscribed.subscribed(["3-9", "4-19", "5-19"], replayFrom: ["3-6", "4-19", "5-19"])
        subscribed.receive(7...10)
        let check = try subscribed.compare().check
        #expect(check.counts == [:] && check.compared == 4)
        subscribed.lines.remove(at: 1)
        #expect(try subscribed.compare().check.examples.map(\.event) == [event(7)])

        var synchronised = ReceivedTraffic.ordinary()
        synchronised.synchronised(["3-9", "4-19", "5-19"], missed: [7, 8, 9].map { synchronised.text(event($0)) })
        synchronised.receive(10...10)
        let synced = try synchronised.compare()
        #expect(synced.check.counts == [:] && synced.check.compared == 4 && synced.totals.fullRefreshes == 0)
        var gap = ReceivedTraffic.ordinary()
        gap.synchronised(["3-9", "4-19", "5-19"], missed: [7, 9].map { gap.text(event($0)) })
        #expect(try gap.compare().check.examples.map(\.event) == [event(8)])
    }

    @Test("positions may be left out only if that is allowed, and nothing else ever")
    func coalescedPositions() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-0", "4-19", "5-19"])
        // Events 4 and 9 are positions.
        for offset in Int64(1)...14 where offset % 5 != 4 || offset == 14 { traffic.receive(event(offset)) }
        let strict = try traffic.compare().check
        #expect(strict.counts == [.missing: 2] && strict.examples.map(\.event) == [event(4), event(9)])
        let allowed = ReceivedComparison.Options(allowsCoalescedPositions: true)
        let check = try traffic.compare(allowed).check
        #expect(check.counts == [:] && check.excused[.coalesced] == 2 && check.compared == 12)
        traffic.lines.remove(at: 3)
        #expect(try traffic.compare(allowed).check.counts == [.missing: 1], "an ETA")
    }

    @Test("several clients and channels are compared each by itself, and summed up")
    func several() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.connect()
        traffic.subscribed(["3-17", "4-19", "5-19"])
        traffic.subscribed(["3-17/1"], in: "trip:b")
        traffic.receive(18...18)
        traffic.receive(event(18).withMessage(1))
        traffic.receive(event(19).withMessage(1))
        let log = try traffic.log()
        #expect(log.channels == ["trip:a", "trip:b"])
        let check = ReceivedSession.check(exampleLimit: 10)
        var totals = ReceivedTotals()
        let records = try traffic.records(of: log.channels)
        for _ in 0..<2 { totals += ReceivedComparison(log, with: records, check: check).run() }
        #expect(totals == ReceivedTotals(clients: 2, connections: 2, channels: 4, fullRefreshes: 0))
        #expect(check.counts == [:] && check.compared == 6 && check.excused == [.beyondClient: 2])
    }
}
