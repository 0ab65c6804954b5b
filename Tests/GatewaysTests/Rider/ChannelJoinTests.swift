import Domain
@testable import Gateways
import Testing

extension ChannelJoin.Step {
    var readRequest: (depth: ChannelJoin.Depth, delay: Int)? {
        if case .read(let depth, let delay) = self { (depth, delay) } else { nil }
    }

    var watchRequest: [Int32: Int64]? { if case .watch(let starts) = self { starts } else { nil } }

    var initialState: ChannelJoin.InitialState? { if case .joined(let initial) = self { initial } else { nil } }

    var isUnknown: Bool { if case .unknown = self { true } else { false } }

    var isFailed: Bool { if case .failed = self { true } else { false } }

    var isWait: Bool { if case .wait = self { true } else { false } }
}

@Suite("Joining a channel, step by step")
struct ChannelJoinTests {
    private typealias Join = ChannelJoin<String>

    private static func event(_ offset: Int64, partition: Int32 = 3) -> EventID {
        EventID(partition: partition, offset: offset)
    }

    /// Returns a stored channel with the events up to `last`; `progress` is the stored `rider.updates` offset.
    private static func store(
        upTo last: Int64, progress: Int64, entries: ClosedRange<Int64>? = nil, hasAll: Bool = true
    ) -> StoredChannel {
        StoredChannel(
            watermarks: [3: Watermark(raw: event(last))], progress: [3: progress],
            entries: (entries ?? 1...last).map { .init(event: event($0), message: Array("\($0)".utf8)) },
            hasAllEntries: hasAll)
    }

    private static func numbers(_ initial: Join.InitialState) -> [Int64] { initial.missed.map(\.event.offset) }

    /// Returns a join that watches partition 3 from `offset` on.
    private static func watching(_ cursor: ChannelCursor = ChannelCursor([]), from offset: Int64 = 100) -> Join {
        var join = Join(cursor: cursor)
        _ = join.didRead(store(upTo: 5, progress: offset), at: 0)
        _ = join.didWatch([3: offset])
        return join
    }

    /// Returns a completed join of a channel with the events up to 5.
    private static func live() -> Join {
        var join = watching()
        _ = join.didRead(store(upTo: 5, progress: 100), at: 0)
        return join
    }

    @Test("a join reads the channel, watches from the stored offset, and reads again")
    func order() throws {
        var join = Join()
        let first = try #require(join.start.readRequest)
        #expect(first == (.none, 0))
        #expect(join.didRead(Self.store(upTo: 5, progress: 90), at: 0).watchRequest == [3: 90])
        let second = try #require(join.didWatch([3: 90]).readRequest)
        #expect(second == (.none, 0))
    }

    @Test("a restarted join discards its events and offsets, and sends a full snapshot")
    func restart() throws {
        var join = Self.watching(ChannelCursor([Self.event(4)]))
        let first = try #require(join.didRead(Self.store(upTo: 5, progress: 100), at: 0).initialState)
        #expect(!first.isFullSnapshot && join.deliver(Self.event(6), "6") == "6")
        #expect(join.restart().readRequest?.delay == 0)
        #expect(join.partitions.isEmpty && join.deliver(Self.event(1), "1") == nil, "nothing is joined")
        // The topic was recreated: the store has an older event of the trip and a smaller offset.
        #expect(join.didRead(Self.store(upTo: 2, progress: 7), at: 0).watchRequest == [3: 7])
        _ = join.didWatch([3: 7])
        let second = try #require(join.didRead(Self.store(upTo: 2, progress: 7), at: 0).initialState)
        #expect(second.isFullSnapshot && !second.addsPartition)
        #expect(join.deliver(Self.event(3), "3") == "3")
    }

    @Test("a restarted join ends if the store no longer has the channel")
    func restartOfUnknown() {
        var join = Self.live()
        _ = join.restart()
        #expect(join.didRead(StoredChannel(), at: 0).isUnknown)
    }

    @Test("a channel that the store does not have is unknown")
    func unknown() {
        var join = Join()
        #expect(join.didRead(StoredChannel(), at: 0).isUnknown)
    }

    @Test("a join waits until the store has all records before the first watched one", arguments: [99, 100, 101])
    func comparison(progress: Int64) {
        var join = Self.watching()
        switch join.didRead(Self.store(upTo: 5, progress: progress), at: 0) {
        case .read(_, let delay): #expect(progress < 100 && delay > 0)
        case .joined(let initial): #expect(progress >= 100 && initial.isFullSnapshot)
        case let step: Issue.record("unexpected step \(step)")
        }
    }

    @Test("a join fails if the store is still behind after ten seconds", arguments: [9999, 10_000])
    func behind(milliseconds: Int64) {
        var join = Self.watching()
        _ = join.didRead(Self.store(upTo: 5, progress: 99), at: 50)
        let step = join.didRead(Self.store(upTo: 5, progress: 99), at: 50 + milliseconds)
        #expect(milliseconds == 9999 ? step.readRequest != nil : step.isFailed)
    }

    @Test("records that arrived during the join follow the missed events, without duplicates")
    func buffered() throws {
        var join = Self.watching(ChannelCursor([Self.event(3)]))
        for offset in Int64(5)...7 { #expect(join.deliver(Self.event(offset), "\(offset)") == nil) }
        let initial = try #require(join.didRead(Self.store(upTo: 6, progress: 101), at: 0).initialState)
        #expect(!initial.isFullSnapshot)
        #expect(Self.numbers(initial) == [4, 5, 6])
        #expect(initial.buffered.map(\.message) == ["7"])
        #expect(join.deliver(Self.event(7), "7") == nil, "it was buffered")
        #expect(join.deliver(Self.event(8), "8") == "8")
        #expect(join.deliver(Self.event(8), "8") == nil)
    }

    @Test("a cursor that is not among the newest entries makes the join read all entries")
    func allEntries() throws {
        var join = Self.watching(ChannelCursor([Self.event(2)]))
        let recent = Self.store(upTo: 9, progress: 100, entries: 5...9, hasAll: false)
        let request = try #require(join.didRead(recent, at: 0).readRequest)
        #expect(request == (.all, 0))
        let initial = try #require(join.didRead(Self.store(upTo: 9, progress: 100), at: 0).initialState)
        #expect(Self.numbers(initial) == Array(3...9))
    }

    @Test("a client whose cursor is older than the stream gets a full snapshot")
    func tooOld() throws {
        var join = Self.watching(ChannelCursor([Self.event(2)]))
        let initial = try #require(join.didRead(Self.store(upTo: 9, progress: 100, entries: 5...9), at: 0).initialState)
        #expect(initial.isFullSnapshot && initial.missed.isEmpty)
    }

    @Test("the join waits two seconds for a store that is behind the client's cursor", arguments: [1999, 2000])
    func ahead(milliseconds: Int64) {
        var join = Self.watching(ChannelCursor([Self.event(12)]))
        _ = join.didRead(Self.store(upTo: 9, progress: 100), at: 0)
        let step = join.didRead(Self.store(upTo: 9, progress: 100), at: milliseconds)
        #expect(milliseconds == 1999 ? step.readRequest != nil : step.initialState?.isFullSnapshot == true)
    }

    @Test("more than 4096 buffered records end the join", arguments: [4096, 4097])
    func tooMany(count: Int) {
        var join = Self.watching()
        for offset in 0..<count { _ = join.deliver(Self.event(Int64(1000 + offset)), "") }
        let step = join.didRead(Self.store(upTo: 5, progress: 100), at: 0)
        #expect(count == 4096 ? step.initialState?.buffered.count == count : step.isFailed)
    }

    @Test("a new partition is joined while other partitions stay live")
    func newPartition() throws {
        var join = Self.live()
        var store = Self.store(upTo: 5, progress: 100)
        store.watermarks[7] = Watermark(raw: Self.event(1, partition: 7))
        store.progress[7] = 40
        #expect(join.recheck(store).readRequest != nil)
        #expect(join.didRead(store, at: 0).watchRequest == [7: 40])
        #expect(join.deliver(Self.event(6), "6") == "6", "partition 3 is live")
        #expect(join.didWatch([7: 40]).readRequest?.depth == .all)
        #expect(join.deliver(Self.event(2, partition: 7), "7-2") == nil)
        store.entries.append(.init(event: Self.event(1, partition: 7), message: []))
        let initial = try #require(join.didRead(store, at: 0).initialState)
        #expect(!initial.isFullSnapshot)
        #expect(initial.missed.map(\.event.partition) == [7])
        #expect(initial.buffered.map(\.message) == ["7-2"])
        #expect(join.partitions == [3, 7])
    }

    @Test("if the stream may have lost entries of a new partition, the client gets a full snapshot")
    func newPartitionAfterManyEntries() throws {
        var join = Self.live()
        var store = Self.store(upTo: 9, progress: 100, entries: 8...9)
        store.watermarks[7] = Watermark(raw: Self.event(1, partition: 7))
        _ = join.recheck(store)
        _ = join.didRead(store, at: 0)
        _ = join.didWatch([7: 0])
        #expect(join.didRead(store, at: 0).readRequest != nil, "the join restarts")
        #expect(join.didRead(store, at: 0).watchRequest.map { Set($0.keys) } == [3, 7])
        _ = join.didWatch([3: 100, 7: 0])
        #expect(try #require(join.didRead(store, at: 0).initialState).isFullSnapshot)
    }

    @Test("the join restarts if the stream may have lost entries of a partition that appeared during another join")
    func twoNewPartitions() throws {
        var join = Self.live()
        var store = Self.store(upTo: 9, progress: 100)
        store.watermarks[7] = Watermark(raw: Self.event(1, partition: 7))
        _ = join.recheck(store)
        // Partition 8 appears before partition 7 is joined.
        store.watermarks[8] = Watermark(raw: Self.event(1, partition: 8))
        _ = join.didRead(store, at: 0)
        _ = join.didWatch([7: 0])
        let first = try #require(join.didRead(store, at: 0).initialState)
        #expect(first.addsPartition && join.partitions == [3, 7])
        // The only remaining entry is newer than event 5, the last event when all partitions were joined.
        store.entries = [.init(event: Self.event(9), message: [])]
        _ = join.recheck(store)
        _ = join.didRead(store, at: 0)
        _ = join.didWatch([8: 0])
        #expect(join.didRead(store, at: 0).readRequest != nil, "the join restarts")
        #expect(join.partitions.isEmpty)
    }

    @Test("a failed read ends a first join, while a live join continues without the new partition")
    func failedRead() {
        var join = Self.watching()
        #expect(join.didFailToRead().isFailed)
        join = Self.live()
        _ = join.recheck(StoredChannel(watermarks: [3: Watermark(raw: Self.event(5)), 7: Watermark()]))
        #expect(join.didFailToRead().isWait)
        #expect(join.deliver(Self.event(6), "6") == "6")
    }
}
