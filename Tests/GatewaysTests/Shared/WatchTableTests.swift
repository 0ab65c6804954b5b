import Testing

@testable import Gateways
@testable import Support

@Suite("Watched channels and partitions")
struct WatchTableTests {
    private let trip = ChannelName(.trip, "a")
    private let route = ChannelName(.route, "17")

    private static func isWatched(_ table: WatchTable<ChannelName>, _ key: String) -> Bool {
        ByteSlice.withBytes(of: key) { table.channel($0) != nil }
    }

    @Test("a new partition starts at the requested offset; a partition that is already read continues")
    func offsets() {
        var table = WatchTable<ChannelName>(loops: 2)
        let first = table.watch(trip, loop: 0, [3: .offset(100)])
        #expect(first.offsets == [3: 100] && first.new == [3: .offset(100)])
        let step = table.advance(3, past: 120)
        #expect(step == .next)
        let second = table.watch(route, loop: 1, [3: .offset(90), 4: .offset(7)])
        #expect(second.offsets == [3: 121, 4: 7], "partition 3 continues at its next record")
        #expect(second.new == [4: .offset(7)])
    }

    @Test("a partition can start at its end; a second subscription starts after the last dispatched record")
    func end() {
        var table = WatchTable<String>(loops: 1)
        #expect(table.watch("d1", loop: 0, [3: .end]).new == [3: .end])
        let step = table.advance(3, past: 5000)
        #expect(step == .next)
        let second = table.watch("d2", loop: 0, [3: .end])
        #expect(second.offsets == [3: 5001] && second.new.isEmpty)
        #expect(ByteSlice.withBytes(of: "d2") { table.channel($0)?.name } == "d2")
    }

    @Test("a channel can be looked up by its key while it has a subscription")
    func channels() {
        var table = WatchTable<ChannelName>(loops: 2)
        _ = table.watch(trip, loop: 0, [3: .offset(0)])
        _ = table.watch(trip, loop: 1, [3: .offset(0)])
        #expect(Self.isWatched(table, "trip:a") && !Self.isWatched(table, "trip:b"))
        #expect(ByteSlice.withBytes(of: "trip:a") { table.channel($0)?.subscriptions } == [1, 1])
        table.unwatch(trip, loop: 0, count: 1, [3])
        #expect(Self.isWatched(table, "trip:a"))
        table.unwatch(trip, loop: 1, count: 1, [3])
        #expect(!Self.isWatched(table, "trip:a") && table.channelCount == 0)
    }

    @Test("one call can remove several subscriptions of a channel")
    func twice() {
        var table = WatchTable<ChannelName>(loops: 1)
        _ = table.watch(trip, loop: 0, [3: .offset(0)])
        _ = table.watch(trip, loop: 0, [5: .offset(0)])
        table.unwatch(trip, loop: 0, count: 2, [3, 5])
        #expect(table.channelCount == 0)
        #expect(Set(table.removeIdlePartitions()) == [3, 5])
    }

    @Test("a record of an unwatched partition is ignored")
    func released() {
        var table = WatchTable<ChannelName>(loops: 1)
        _ = table.watch(trip, loop: 0, [3: .offset(100)])
        let step = table.advance(4, past: 100)
        #expect(step == .released)
    }

    @Test(
        "an offset below the expected one restarts the partition; later subscriptions start after the new offset",
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

    @Test("a partition without subscriptions is removed")
    func idle() {
        var table = WatchTable<ChannelName>(loops: 1)
        _ = table.watch(trip, loop: 0, [3: .offset(0), 4: .offset(0)])
        _ = table.watch(route, loop: 0, [4: .offset(0)])
        table.unwatch(trip, loop: 0, count: 1, [3, 4])
        #expect(table.removeIdlePartitions() == [3])
        #expect(table.partitionCount == 1)
        #expect(table.removeIdlePartitions().isEmpty)
    }
}
