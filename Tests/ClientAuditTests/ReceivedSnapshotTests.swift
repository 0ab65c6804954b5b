import Testing

@testable import ClientAudit
@testable import Domain

@Suite("Full snapshots and missed_events in the log of a client")
struct ReceivedSnapshotTests {
    private func event(_ offset: Int64) -> EventID { EventID(partition: 3, offset: offset) }

    /// Returns traffic with events 3-5 to 3-7, a full snapshot up to 3-11, and events 3-12 to 3-14.
    private func withSnapshot() -> ReceivedTraffic {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(5...7)
        traffic.connect()
        traffic.subscribed(["3-11", "4-19", "5-19"])
        traffic.receive(12...14)
        return traffic
    }

    @Test("a full snapshot replaces the records up to its cursor, and is counted")
    func fullSnapshot() throws {
        let check = try withSnapshot().compare()
        #expect(check.counts == [:] && check.compared == 6 && check.fullSnapshots == 1)
        #expect(check.excused == [.replacedBySnapshot: 4, .beyondClient: 5])
        var requested = ReceivedTraffic.ordinary()
        requested.synchronized(["3-4", "4-19", "5-19"], isFull: true)
        requested.receive(5...7)
        requested.synchronized(["3-11", "4-19", "5-19"], isFull: true)
        requested.receive(12...12)
        let report = try requested.compare()
        #expect(report.counts == [:] && report.fullSnapshots == 1 && report.excused[.replacedBySnapshot] == 4)
    }

    @Test("records around a full snapshot can be missing, and an event that the snapshot contained is a duplicate")
    func aroundSnapshot() throws {
        var before = withSnapshot()
        before.lines.remove(at: 2)
        #expect(try before.compare().counts == [.missing: 1])
        var after = withSnapshot()
        after.lines.remove(at: 6)
        let check = try after.compare()
        #expect(check.counts == [.missing: 1] && check.examples.first?.event == event(12))
        var repetition = withSnapshot()
        repetition.lines.insert(repetition.text(event(11)), at: 6)
        let repeated = try repetition.compare()
        #expect(repeated.counts == [.duplicate: 1])
        #expect(repeated.examples.first?.what == "client.log, line 7: a full snapshot contained it")
    }

    @Test(
        "a full snapshot that ends before the client's last event replaces no record; repeated records are duplicates"
    )
    func snapshotBehind() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(5...9)
        traffic.subscribed(["3-8", "4-19", "5-19"])
        traffic.receive(9...10)
        let check = try traffic.compare()
        #expect(check.counts == [.duplicate: 1] && check.examples.first?.event == event(9))
        #expect(check.excused[.replacedBySnapshot] == nil)
    }

    @Test("events in a state_sync are compared like single events, byte for byte")
    func missedEvents() throws {
        func traffic(_ missed: [Int64], changing: (String) -> String = { $0 }) -> ReceivedTraffic {
            var traffic = ReceivedTraffic.ordinary()
            traffic.subscribed(["3-4", "4-19", "5-19"])
            traffic.receive(5...6)
            traffic.connect()
            traffic.synchronized(["3-9", "4-19", "5-19"], missed: missed.map { changing(traffic.text(event($0))) })
            traffic.receive(10...11)
            return traffic
        }
        let clean = try traffic([7, 8, 9]).compare()
        #expect(clean.counts == [:] && clean.compared == 7 && clean.fullSnapshots == 0)
        for missing in [[8, 9], [7, 9], [7, 8]] as [[Int64]] {
            #expect(try traffic(missing).compare().counts == [.missing: 1], "\(missing)")
        }
        #expect(try traffic([7, 9, 8]).compare().counts == [.outOfOrder: 1])
        #expect(try traffic([6, 7, 8, 9]).compare().counts == [.duplicate: 1])
        #expect(try traffic([7, 8, 9]) { $0.replacing("list", with: "lost") }.compare().counts == [.wrong: 3])
    }

    @Test("an event that a state_sync's cursor covers but missed_events lacks is missing, even at the end of the log")
    func endsWithSync() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(5...6)
        traffic.synchronized(["3-8", "4-19", "5-19"], missed: [traffic.text(event(7))])
        let check = try traffic.compare()
        #expect(check.counts == [.missing: 1] && check.examples.first?.event == event(8))
        #expect(check.examples.first?.what.contains("client.log, line 4:") == true)
    }

    @Test("a log that begins with a resumption is compared from replay_from, or from the first missed event")
    func beginsResumed() throws {
        var subscribed = ReceivedTraffic.ordinary()
        subscribed.subscribed(["3-9", "4-19", "5-19"], replayFrom: ["3-6", "4-19", "5-19"])
        subscribed.receive(7...10)
        let check = try subscribed.compare()
        #expect(check.counts == [:] && check.compared == 4)
        subscribed.lines.remove(at: 1)
        #expect(try subscribed.compare().examples.map(\.event) == [event(7)])

        var synchronized = ReceivedTraffic.ordinary()
        synchronized.synchronized(["3-9", "4-19", "5-19"], missed: [7, 8, 9].map { synchronized.text(event($0)) })
        synchronized.receive(10...10)
        let synced = try synchronized.compare()
        #expect(synced.counts == [:] && synced.compared == 4 && synced.fullSnapshots == 0)
        var gap = ReceivedTraffic.ordinary()
        gap.synchronized(["3-9", "4-19", "5-19"], missed: [7, 9].map { gap.text(event($0)) })
        #expect(try gap.compare().examples.map(\.event) == [event(8)])
    }

    @Test("several clients and channels are compared separately and counted together")
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
        var check = ClientReport(exampleLimit: 10)
        let records = traffic.records(of: log.channels)
        for _ in 0..<2 { ReceivedComparison(log, with: records).run(into: &check) }
        #expect(check.clients == 2 && check.connections == 2 && check.channels == 4 && check.fullSnapshots == 0)
        #expect(check.counts == [:] && check.compared == 6 && check.excused == [.beyondClient: 2])
    }
}
