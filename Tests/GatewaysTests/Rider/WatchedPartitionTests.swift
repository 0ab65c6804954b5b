import Testing

@testable import Gateways

@Suite("The partitions that a subscription watches")
struct WatchedPartitionTests {
    @Test("are each kept once, however often a join of later partitions fails and is tried again")
    func retries() {
        var watched = WatchedPartitions()
        #expect(watched.add([3]) == [])
        for _ in 0..<1000 { _ = watched.add([5]) }
        #expect(watched.partitions == [3, 5] && watched.requests == 2)
    }

    @Test("are given back by the intake once the subscription ends, also after a thousand retries")
    func givenBack() {
        var (watched, table) = (WatchedPartitions(), WatchTable<ChannelName>(loops: 1))
        let trip = ChannelName(.trip, "a")
        func watch(_ partitions: [Int32]) {
            let again = watched.add(partitions)
            _ = table.watch(trip, loop: 0, Dictionary(uniqueKeysWithValues: partitions.map { ($0, .offset(0)) }))
            if !again.isEmpty { table.unwatch(trip, loop: 0, times: 1, again) }
        }
        watch([3])
        for _ in 0..<1000 { watch([5]) }
        watch([3, 5, 6])
        #expect(table.takeIdlePartitions().isEmpty)
        table.unwatch(trip, loop: 0, times: watched.requests, watched.partitions)
        #expect(table.channelCount == 0 && Set(table.takeIdlePartitions()) == [3, 5, 6])
    }
}
