import Domain
@testable import Gateways
import Support
import Testing

@Suite("Events awaiting acknowledgement")
struct UnacknowledgedEventsTests {
    private static func event(_ offset: Int64, partition: Int32 = 3, origin: EventID.Origin = .raw) -> EventID {
        EventID(origin: origin, partition: partition, offset: offset)
    }

    private static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    /// Returns `count` events sent once per second: 3-1 at 1000 ms, 3-2 at 2000 ms and so on.
    private static func sent(_ count: Int64) -> UnacknowledgedEvents {
        var events = UnacknowledgedEvents(from: ChannelCursor([]))
        for number in 1...count {
            #expect(events.recordSent(event(number), isRequired: true, at: at(number * 1000)) == true)
        }
        return events
    }

    @Test("an acknowledgement covers earlier events of its partition and origin, and returns their waiting times")
    func cumulative() {
        var events = Self.sent(4)
        #expect(events.recordSent(Self.event(1, origin: .trips), isRequired: true, at: Self.at(4500)) == true)
        #expect(events.recordSent(Self.event(1, partition: 4), isRequired: true, at: Self.at(4600)) == true)
        #expect(events.acknowledge(ChannelCursor([Self.event(3)]), at: Self.at(5000)) == [4000, 3000, 2000])
        #expect(events.count == 3)
        let remaining = ChannelCursor([Self.event(4), Self.event(1, partition: 4)])
        #expect(events.acknowledge(remaining, at: Self.at(5000)) == [1000, 400])
        #expect(events.acknowledge(ChannelCursor([Self.event(1, origin: .trips)]), at: Self.at(5000)) == [500])
        #expect(events.count == 0)
    }

    @Test("a repeated or older acknowledgement has no effect")
    func repeated() {
        var events = Self.sent(3)
        #expect(events.acknowledge(ChannelCursor([Self.event(2)]), at: Self.at(3000)) == [2000, 1000])
        for number: Int64 in [2, 1] {
            #expect(events.acknowledge(ChannelCursor([Self.event(number)]), at: Self.at(4000)) == [])
        }
        #expect(events.count == 1)
    }

    @Test("an acknowledgement that includes an event that was not sent has no effect")
    func neverSent() {
        var events = Self.sent(3)
        for unsent in [Self.event(4), Self.event(1, partition: 4), Self.event(0, origin: .trips)] {
            #expect(events.acknowledge(ChannelCursor([Self.event(3), unsent]), at: Self.at(4000)) == nil)
        }
        #expect(events.count == 3)
        #expect(events.acknowledge(ChannelCursor([Self.event(3)]), at: Self.at(4000)) == [3000, 2000, 1000])
    }

    @Test("a client may acknowledge events that it had before it subscribed")
    func before() {
        var events = UnacknowledgedEvents(from: ChannelCursor([Self.event(7), Self.event(2, origin: .trips)]))
        #expect(events.acknowledge(ChannelCursor([Self.event(7)]), at: Self.at(0)) == [])
        #expect(events.acknowledge(ChannelCursor([Self.event(8)]), at: Self.at(0)) == nil)
        #expect(events.recordSent(Self.event(8), isRequired: true, at: Self.at(0)) == true)
        let all = ChannelCursor([Self.event(8), Self.event(2, origin: .trips)])
        #expect(events.acknowledge(all, at: Self.at(5)) == [5])
    }

    @Test("acknowledging an event that does not require it covers the earlier events")
    func optional() {
        var events = Self.sent(2)
        #expect(events.recordSent(Self.event(9), isRequired: false, at: Self.at(90_000)) == true)
        #expect(events.count == 2)
        #expect(events.acknowledge(ChannelCursor([Self.event(9)]), at: Self.at(90_000)) == [89_000, 88_000])
        #expect(!events.isOverdue(at: Self.at(1_000_000), after: 15_000))
    }

    @Test("the oldest event is overdue after the timeout")
    func overdue() {
        var events = Self.sent(2)
        #expect(!events.isOverdue(at: Self.at(15_999), after: 15_000))
        #expect(!events.isOverdue(at: Self.at(16_000), after: 15_000))
        #expect(events.isOverdue(at: Self.at(16_001), after: 15_000))
        #expect(events.acknowledge(ChannelCursor([Self.event(1)]), at: Self.at(16_001)) == [15_001])
        #expect(!events.isOverdue(at: Self.at(17_000), after: 15_000))
        #expect(events.isOverdue(at: Self.at(17_001), after: 15_000))
        #expect(!UnacknowledgedEvents(from: ChannelCursor([])).isOverdue(at: Self.at(1_000_000), after: 0))
    }

    @Test("if events of an origin are sent in the same millisecond, only the last one is stored")
    func sameMillisecond() {
        var events = UnacknowledgedEvents(from: ChannelCursor([]))
        for number: Int64 in 1...600 {
            #expect(events.recordSent(Self.event(number), isRequired: true, at: Self.at(1000)) == true)
            #expect(events.recordSent(Self.event(number, origin: .trips), isRequired: true, at: Self.at(1000)) == true)
        }
        #expect(events.count == 2)
        #expect(events.acknowledge(ChannelCursor([Self.event(599)]), at: Self.at(1010)) == [])
        #expect(events.isOverdue(at: Self.at(1011), after: 10))
        #expect(events.acknowledge(ChannelCursor([Self.event(600)]), at: Self.at(1010)) == [10])
        #expect(events.recordSent(Self.event(601), isRequired: true, at: Self.at(1001)) == true)
        #expect(events.recordSent(Self.event(602), isRequired: true, at: Self.at(1002)) == true)
        #expect(events.count == 3)
    }

    @Test("the capacity is 512 entries, and acknowledgements free it")
    func capacity() {
        var events = Self.sent(512)
        #expect(
            events.recordSent(Self.event(513), isRequired: true, at: Self.at(512_000)) == true, "it replaces event 512")
        #expect(events.recordSent(Self.event(514), isRequired: false, at: Self.at(514_000)) == true)
        #expect(events.recordSent(Self.event(515), isRequired: true, at: Self.at(515_000)) == false)
        #expect(events.acknowledge(ChannelCursor([Self.event(1)]), at: Self.at(515_000)) == [514_000])
        #expect(events.recordSent(Self.event(516), isRequired: true, at: Self.at(516_000)) == true)
        #expect(events.count == UnacknowledgedEvents.capacity)
    }

    @Test("a restart at a snapshot drops all events; later events can be acknowledged after they are sent again")
    func restart() {
        var events = Self.sent(5)
        events.restart(at: ChannelCursor([Self.event(2)]))
        #expect(events.count == 0)
        #expect(events.acknowledge(ChannelCursor([Self.event(3)]), at: Self.at(9000)) == nil)
        #expect(events.acknowledge(ChannelCursor([Self.event(2)]), at: Self.at(9000)) == [])
        #expect(events.recordSent(Self.event(3), isRequired: true, at: Self.at(9000)) == true)
        #expect(events.acknowledge(ChannelCursor([Self.event(3)]), at: Self.at(9001)) == [1])
    }
}
