import Testing

@testable import Gateways
@testable import Support

@Suite("Who watches which channel and partition")
struct WatchTableTests {
    private let trip = ChannelName(.trip, "a")
    private let route = ChannelName(.route, "17")

    private static func isWatched(_ table: WatchTable<ChannelName>, _ key: String) -> Bool {
        ByteSlice.withBytes(of: key) { table.channel($0) != nil }
    }

    @Test("a partition that is not read yet begins where it is asked for, one that is read continues")
    func offsets() {
        var table = WatchTable<ChannelName>(loops: 2)
        let first = table.watch(trip, loop: 0, [3: .offset(100)])
        #expect(first.offsets == [3: 100] && first.new == [3: .offset(100)])
        let step = table.advance(3, past: 120)
        #expect(step == .next)
        let second = table.watch(route, loop: 1, [3: .offset(90), 4: .offset(7)])
        #expect(second.offsets == [3: 121, 4: 7], "records of partition 3 come from the next one on")
        #expect(second.new == [4: .offset(7)])
    }

    @Test("a partition that begins at its end hands out whatever comes, and a second subscription continues there")
    func end() {
        var table = WatchTable<String>(loops: 1)
        #expect(table.watch("d1", loop: 0, [3: .end]).new == [3: .end])
        let step = table.advance(3, past: 5000)
        #expect(step == .next)
        let second = table.watch("d2", loop: 0, [3: .end])
        #expect(second.offsets == [3: 5001] && second.new.isEmpty)
        #expect(ByteSlice.withBytes(of: "d2") { table.channel($0)?.name } == "d2")
    }

    @Test("a channel is found by its key as long as one subscription has it")
    func channels() {
        var table = WatchTable<ChannelName>(loops: 2)
        _ = table.watch(trip, loop: 0, [3: .offset(0)])
        _ = table.watch(trip, loop: 1, [3: .offset(0)])
        #expect(Self.isWatched(table, "trip:a") && !Self.isWatched(table, "trip:b"))
        #expect(ByteSlice.withBytes(of: "trip:a") { table.channel($0)?.subscriptions } == [1, 1])
        table.unwatch(trip, loop: 0, times: 1, [3])
        #expect(Self.isWatched(table, "trip:a"))
        table.unwatch(trip, loop: 1, times: 1, [3])
        #expect(!Self.isWatched(table, "trip:a") && table.channelCount == 0)
    }

    @Test("a subscription that asked twice takes both back")
    func twice() {
        var table = WatchTable<ChannelName>(loops: 1)
        _ = table.watch(trip, loop: 0, [3: .offset(0)])
        _ = table.watch(trip, loop: 0, [5: .offset(0)])
        table.unwatch(trip, loop: 0, times: 2, [3, 5])
        #expect(table.channelCount == 0)
        #expect(Set(table.takeIdlePartitions()) == [3, 5])
    }

    @Test("a record of a partition that is not read is left out")
    func unread() {
        var table = WatchTable<ChannelName>(loops: 1)
        _ = table.watch(trip, loop: 0, [3: .offset(100)])
        let step = table.advance(4, past: 100)
        #expect(step == .unread)
    }

    @Test(
        "a record below the next one begins another sequence of offsets, which later subscriptions join",
        arguments: [0, 99, 100, 101])
    func restart(offset: Int64) {
        var table = WatchTable<ChannelName>(loops: 1)
        _ = table.watch(trip, loop: 0, [3: .offset(100)])
        let step = table.advance(3, past: offset)
        #expect(step == (offset < 100 ? .restart : .next))
        let following = table.advance(3, past: offset + 1)
        #expect(following == .next)
        #expect(table.watch(route, loop: 0, [3: .offset(500)]).offsets == [3: offset + 2])
    }

    @Test("a partition is given up when no subscription has it")
    func idle() {
        var table = WatchTable<ChannelName>(loops: 1)
        _ = table.watch(trip, loop: 0, [3: .offset(0), 4: .offset(0)])
        _ = table.watch(route, loop: 0, [4: .offset(0)])
        table.unwatch(trip, loop: 0, times: 1, [3, 4])
        #expect(table.takeIdlePartitions() == [3])
        #expect(table.partitionCount == 1)
        #expect(table.takeIdlePartitions().isEmpty)
    }
}
