import Testing

@testable import Gateways

@Suite("Partitions watched by a subscription")
struct WatchedPartitionsTests {
    @Test("a partition is counted once, however often its join is retried")
    func retries() {
        var watched = WatchedPartitions()
        #expect(watched.add([3]) == [])
        for _ in 0..<1000 { _ = watched.add([5]) }
        #expect(watched.partitions == [3, 5] && watched.requests == 2)
    }

    @Test("all partitions are released when the subscription ends, even after a thousand retries")
    func release() {
        var (watched, table) = (WatchedPartitions(), WatchTable<ChannelName>(loops: 1))
        let trip = ChannelName(.trip, "a")
        func watch(_ partitions: [Int32]) {
            let repeated = watched.add(partitions)
            _ = table.watch(trip, loop: 0, Dictionary(uniqueKeysWithValues: partitions.map { ($0, .offset(0)) }))
            if !repeated.isEmpty { table.unwatch(trip, loop: 0, count: 1, repeated) }
        }
        watch([3])
        for _ in 0..<1000 { watch([5]) }
        watch([3, 5, 6])
        #expect(table.removeIdlePartitions().isEmpty)
        table.unwatch(trip, loop: 0, count: watched.requests, watched.partitions)
        #expect(table.channelCount == 0 && Set(table.removeIdlePartitions()) == [3, 5, 6])
    }
}
