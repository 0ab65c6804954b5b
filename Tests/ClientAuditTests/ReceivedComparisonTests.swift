import Testing

@testable import ClientAudit
@testable import Domain

@Suite("Comparing a client's events with rider.updates")
struct ReceivedComparisonTests {
    /// Returns traffic with a subscription after event 3-4, events 3-5 to 3-9, and 3-10 to 3-14 in a second connection.
    private func traffic() -> ReceivedTraffic {
        var traffic = ReceivedTraffic.ordinary()
        traffic.connect()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(5...9)
        traffic.connect()
        traffic.subscribed(["3-11", "4-19", "5-19"], replayFrom: ["3-9", "4-19", "5-19"])
        traffic.receive(10...14)
        return traffic
    }

    private func event(_ offset: Int64, _ partition: Int32 = 3) -> EventID {
        EventID(partition: partition, offset: offset)
    }

    /// Returns the index of an event's line in the log.
    private func line(_ offset: Int64, in traffic: ReceivedTraffic) throws -> Int {
        try #require(traffic.lines.firstIndex(of: traffic.text(event(offset))))
    }

    @Test("a client that received everything has no difference, and records after its last event are counted")
    func clean() throws {
        let check = try traffic().compare()
        #expect(check.counts == [:] && check.compared == 10)
        #expect(check.excused == [.beyondClient: 5], "events 15 to 19 of partition 3, and none of trip:b")
        #expect(check.clients == 1 && check.connections == 2 && check.channels == 1 && check.fullSnapshots == 0)
    }

    @Test(
        "an event that was not received is missing",
        arguments: [5, 7, 9, 10, 13] as [Int64])
    func missing(offset: Int64) throws {
        var traffic = traffic()
        traffic.lines.remove(at: try line(offset, in: traffic))
        let check = try traffic.compare()
        #expect(check.counts == [.missing: 1] && check.compared == 10)
        let difference = try #require(check.examples.first)
        #expect(difference.event == event(offset) && difference.channel == "trip:a")
        #expect(difference.offset == offset * 2 && difference.what.contains("client.log, line"))
    }

    @Test("events after the last received one are not missing")
    func endsEarlier() throws {
        var traffic = traffic()
        traffic.lines.removeLast()
        let check = try traffic.compare()
        #expect(check.counts == [:] && check.compared == 9 && check.excused == [.beyondClient: 6])
        var subscribedOnly = ReceivedTraffic.ordinary()
        subscribedOnly.subscribed(["3-4", "4-19", "5-19"])
        let empty = try subscribedOnly.compare()
        #expect(empty.counts == [:] && empty.compared == 0 && empty.excused == [.beyondClient: 15])
    }

    @Test("an event received twice, in one or two connections, or before the first cursor, is a duplicate")
    func duplicate() throws {
        var once = traffic()
        once.lines.insert(once.text(event(7)), at: try line(8, in: once))
        #expect(try once.compare().counts == [.duplicate: 1])
        var across = traffic()
        across.lines.insert(across.text(event(9)), at: try line(10, in: across))
        let check = try across.compare()
        #expect(check.counts == [.duplicate: 1] && check.examples.first?.event == event(9))
        #expect(check.examples.first?.what == "client.log, line 10: it was received before")
        var before = traffic()
        before.lines.insert(before.text(event(4)), at: try line(5, in: before))
        #expect(try before.compare().counts == [.duplicate: 1])
    }

    @Test("swapped events are out of order, and not missing")
    func swapped() throws {
        var traffic = traffic()
        let (first, second) = (try line(6, in: traffic), try line(7, in: traffic))
        traffic.lines.swapAt(first, second)
        let check = try traffic.compare()
        #expect(check.counts == [.outOfOrder: 1] && check.compared == 10)
        #expect(check.examples.first?.event == event(6) && check.examples.first?.what.contains("line 5:") == true)
    }

    @Test("the order is checked per partition")
    func severalPartitions() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-17", "4-16", "t5-2"])
        for event in [event(17, 4), event(18), event(0, 5), event(18, 4), event(19), event(1, 5)] {
            traffic.receive(event)
        }
        let check = try traffic.compare()
        #expect(check.counts == [:] && check.compared == 6 && check.excused == [.beyondClient: 19])
        traffic.lines.remove(at: 3)
        let damaged = try traffic.compare()
        #expect(damaged.counts == [.missing: 1] && damaged.examples.first?.event == event(0, 5))
    }

    @Test("a partition that starts to write to the channel is compared from its first record")
    func laterPartition() throws {
        var traffic = ReceivedTraffic.ordinary()
        traffic.subscribed(["3-19", "4-19"])
        // Without a snapshot and replay_from: the gateway has added a partition to the subscription.
        traffic.lines.append(
            #"{"type":"subscribed","channel":"trip:a","replay_from":null,"cursor":["3-19","4-19","5-3"]}"#)
        traffic.receive(0...5, partition: 5)
        let check = try traffic.compare()
        #expect(check.counts == [:] && check.compared == 6 && check.fullSnapshots == 0)
        traffic.lines.remove(at: 2)
        #expect(try traffic.compare().counts == [.missing: 1])
    }

    @Test("the two origins of a partition have separate cursors and a common order")
    func twoOrigins() throws {
        var traffic = ReceivedTraffic()
        let trips = (0..<3).map { EventID(origin: .trips, partition: 3, offset: $0) }
        let all = [event(0), trips[0], event(1), trips[1], trips[2], event(2)]
        for event in all { traffic.publish(event) }
        traffic.subscribed(["3-0", "t3-0"])
        for event in all[2...] { traffic.receive(event) }
        #expect(try traffic.compare().counts == [:])
        var swapped = traffic
        swapped.lines.swapAt(1, 2)
        #expect(try swapped.compare().counts == [.outOfOrder: 1], "the trip's event came before the location's event")
        traffic.lines.remove(at: 2)
        #expect(try traffic.compare().examples.map(\.event) == [trips[1]])
    }

    @Test("a cursor with one origin covers all records before that event in its partition")
    func oneOrigin() throws {
        var traffic = ReceivedTraffic()
        let trip = EventID(origin: .trips, partition: 3, offset: 0)
        for event in [trip, event(0), event(1)] { traffic.publish(event) }
        traffic.subscribed(["3-1"], replayFrom: ["3-0"])
        traffic.receive(1...1)
        let check = try traffic.compare()
        #expect(check.counts == [:] && check.compared == 1)
    }

    @Test("repetitions on the topic are ignored")
    func repetitions() throws {
        var traffic = traffic()
        let repeated = try #require(traffic.topic[3]?[12..<18])
        traffic.topic[3]?.insert(contentsOf: repeated, at: 24)
        let check = try traffic.compare()
        #expect(check.counts == [:] && check.compared == 10)
    }

    @Test("an event with different bytes is wrong, with the position of the difference")
    func changed() throws {
        var traffic = traffic()
        let line = try line(7, in: traffic)
        traffic.lines[line] = traffic.lines[line].replacing(#""list""#, with: #""lost""#)
        let check = try traffic.compare()
        #expect(check.counts == [.wrong: 1] && check.compared == 10)
        #expect(check.examples.first?.what.contains(#"the value differs at byte"#) == true)
        var spaced = self.traffic()
        spaced.lines[line] = spaced.lines[line].replacing(#","channel""#, with: #", "channel""#)
        #expect(try spaced.compare().counts == [.wrong: 1], "bytes are compared, not values")
    }

    @Test("an event that is not on the topic is unexpected, unless retention may have deleted it")
    func unexpected() throws {
        let trip = EventID(origin: .trips, partition: 3, offset: 0)
        for event in [event(20), event(3).withMessage(7), event(0, 9), trip] {
            var traffic = traffic()
            traffic.lines.append(ReceivedTraffic.text(event))
            let check = try traffic.compare()
            #expect(check.counts == [.unexpected: 1] && check.examples.first?.event == event, "\(event)")
        }
        var cut = traffic()
        cut.topic[3]?.removeFirst(14)
        #expect(try cut.compare().counts == [.unexpected: 2], "events 5 and 6; retention has deleted nothing")
        cut.isTruncated = true
        let check = try cut.compare()
        #expect(check.counts == [:] && check.excused[.retention] == 2 && check.compared == 8)
    }

    @Test("an event of a channel without a subscription in this connection is unexpected")
    func notSubscribed() throws {
        var other = traffic()
        other.receive(event(3).withMessage(1))
        let check = try other.compare()
        #expect(check.counts == [.unexpected: 1] && check.examples.first?.channel == "trip:b")
        var early = traffic()
        early.lines.swapAt(try line(9, in: early), try line(9, in: early) + 1)
        #expect(try early.compare().counts == [.unexpected: 1], "after connected, before subscribed")
        var unsubscribed = traffic()
        unsubscribed.lines.insert(#"{"type":"unsubscribed","channel":"trip:a"}"#, at: try line(14, in: unsubscribed))
        #expect(try unsubscribed.compare().counts == [.unexpected: 1])
    }
}
