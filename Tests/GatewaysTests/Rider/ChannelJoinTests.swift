import Gateways
import Model
import Testing

@Suite("The steps of joining a channel")
struct ChannelJoinTests {
    private typealias Join = ChannelJoin<String>

    /// The event of the trip's record at `offset` of partition 3.
    private static func event(_ offset: Int64, partition: Int32 = 3) -> EventID {
        EventID(partition: partition, offset: offset)
    }

    /// A store that has the events up to `last`, and rider.updates up to `progress`.
    private static func store(
        upTo last: Int64, progress: Int64, entries: ClosedRange<Int64>? = nil, hasAll: Bool = true
    ) -> StoredChannel {
        StoredChannel(
            clocks: [3: Watermark(raw: event(last))], progress: [3: progress],
            entries: (entries ?? 1...last).map { .init(event: event($0), message: Array("\($0)".utf8)) },
            hasAllEntries: hasAll)
    }

    private static func numbers(_ beginning: Join.Beginning) -> [Int64] { beginning.missed.map(\.event.offset) }

    /// A join whose partition is watched from `offset` on.
    private static func watched(_ cursor: ChannelCursor = ChannelCursor([]), from offset: Int64 = 100) -> Join {
        var join = Join(cursor: cursor)
        _ = join.stored(store(upTo: 5, progress: offset), at: 0)
        _ = join.watched([3: offset])
        return join
    }

    @Test("reads, watches from where the store is, and reads again")
    func order() {
        var join = Join()
        guard case .read(.none, afterMilliseconds: 0) = join.start else { return #expect(Bool(false)) }
        guard case .watch(let starts) = join.stored(Self.store(upTo: 5, progress: 90), at: 0) else {
            return #expect(Bool(false), "the partitions are watched")
        }
        #expect(starts == [3: 90])
        guard case .read(.none, afterMilliseconds: 0) = join.watched([3: 90]) else {
            return #expect(Bool(false), "the store is read again")
        }
    }

    @Test("a join that starts over forgets events and offsets, and gives the client its state in full")
    func restart() {
        var join = Self.watched(ChannelCursor([Self.event(4)]))
        guard case .begin(let first) = join.stored(Self.store(upTo: 5, progress: 100), at: 0), !first.isFullRefresh,
            join.deliver(Self.event(6), "6") == "6"
        else { return #expect(Bool(false), "the join is done") }
        guard case .read(_, afterMilliseconds: 0) = join.restart() else { return #expect(Bool(false)) }
        #expect(join.partitions.isEmpty && join.deliver(Self.event(1), "1") == nil, "the store has it")
        // The topic was created anew: the store knows the trip by a smaller event, and less of the topic.
        guard case .watch(let starts) = join.stored(Self.store(upTo: 2, progress: 7), at: 0) else {
            return #expect(Bool(false), "the partitions are watched")
        }
        #expect(starts == [3: 7])
        _ = join.watched([3: 7])
        guard case .begin(let second) = join.stored(Self.store(upTo: 2, progress: 7), at: 0) else {
            return #expect(Bool(false), "the join is done")
        }
        #expect(second.isFullRefresh && !second.isExtension)
        #expect(join.deliver(Self.event(3), "3") == "3")
    }

    @Test("a join that starts over ends where the store does not know the channel any more")
    func restartOfUnknown() {
        var join = Self.watched()
        _ = join.stored(Self.store(upTo: 5, progress: 100), at: 0)
        _ = join.restart()
        guard case .unknown = join.stored(StoredChannel(), at: 0) else { return #expect(Bool(false)) }
    }

    @Test("a channel that the store does not know is unknown")
    func unknown() {
        var join = Join()
        guard case .unknown = join.stored(StoredChannel(), at: 0) else { return #expect(Bool(false)) }
    }

    @Test("waits until the store has everything before the first record that is watched", arguments: [99, 100, 101])
    func comparison(progress: Int64) {
        var join = Self.watched()
        switch join.stored(Self.store(upTo: 5, progress: progress), at: 0) {
        case .read(_, let wait): #expect(progress < 100 && wait > 0)
        case .begin(let beginning): #expect(progress >= 100 && beginning.isFullRefresh)
        default: #expect(Bool(false))
        }
    }

    @Test("a store that stays behind ends the join after ten seconds", arguments: [9999, 10_000])
    func behind(milliseconds: Int64) {
        var join = Self.watched()
        _ = join.stored(Self.store(upTo: 5, progress: 99), at: 50)
        switch join.stored(Self.store(upTo: 5, progress: 99), at: 50 + milliseconds) {
        case .read: #expect(milliseconds == 9999)
        case .storeBehind: #expect(milliseconds == 10_000)
        default: #expect(Bool(false))
        }
    }

    @Test("what came meanwhile follows what was missed, without what both have")
    func kept() {
        var join = Self.watched(ChannelCursor([Self.event(3)]))
        for offset in Int64(5)...7 { #expect(join.deliver(Self.event(offset), "\(offset)") == nil) }
        guard case .begin(let beginning) = join.stored(Self.store(upTo: 6, progress: 101), at: 0) else {
            return #expect(Bool(false))
        }
        #expect(!beginning.isFullRefresh)
        #expect(Self.numbers(beginning) == [4, 5, 6])
        #expect(beginning.kept.map(\.message) == ["7"])
        #expect(join.deliver(Self.event(7), "7") == nil, "it was kept")
        #expect(join.deliver(Self.event(8), "8") == "8")
        #expect(join.deliver(Self.event(8), "8") == nil)
    }

    @Test("a cursor that is not among the newest entries has all of them read")
    func allEntries() {
        var join = Self.watched(ChannelCursor([Self.event(2)]))
        guard
            case .read(.all, afterMilliseconds: 0) = join.stored(
                Self.store(upTo: 9, progress: 100, entries: 5...9, hasAll: false), at: 0)
        else { return #expect(Bool(false)) }
        guard case .begin(let beginning) = join.stored(Self.store(upTo: 9, progress: 100), at: 0) else {
            return #expect(Bool(false))
        }
        #expect(Self.numbers(beginning) == Array(3...9))
    }

    @Test("a cursor that the stream does not reach back to gets the state in full")
    func tooOld() {
        var join = Self.watched(ChannelCursor([Self.event(2)]))
        guard case .begin(let beginning) = join.stored(Self.store(upTo: 9, progress: 100, entries: 5...9), at: 0) else {
            return #expect(Bool(false))
        }
        #expect(beginning.isFullRefresh && beginning.missed.isEmpty)
    }

    @Test("a client that is ahead of the store is waited for, for two seconds", arguments: [1999, 2000])
    func ahead(milliseconds: Int64) {
        var join = Self.watched(ChannelCursor([Self.event(12)]))
        _ = join.stored(Self.store(upTo: 9, progress: 100), at: 0)
        switch join.stored(Self.store(upTo: 9, progress: 100), at: milliseconds) {
        case .read: #expect(milliseconds == 1999)
        case .begin(let beginning): #expect(milliseconds == 2000 && beginning.isFullRefresh)
        default: #expect(Bool(false))
        }
    }

    @Test("more records than are kept end the join", arguments: [4096, 4097])
    func tooMany(count: Int) {
        var join = Self.watched()
        for offset in 0..<count { _ = join.deliver(Self.event(Int64(1000 + offset)), "") }
        switch join.stored(Self.store(upTo: 5, progress: 100), at: 0) {
        case .begin(let beginning): #expect(count == 4096 && beginning.kept.count == count)
        case .storeBehind: #expect(count == 4097)
        default: #expect(Bool(false))
        }
    }

    @Test("a partition that comes later is joined while the others continue")
    func later() {
        var join = Self.watched()
        _ = join.stored(Self.store(upTo: 5, progress: 100), at: 0)
        var store = Self.store(upTo: 5, progress: 100)
        store.clocks[7] = Watermark(raw: Self.event(1, partition: 7))
        store.progress[7] = 40
        guard case .read = join.look(at: store) else { return #expect(Bool(false), "the new one is read") }
        guard case .watch(let starts) = join.stored(store, at: 0) else { return #expect(Bool(false)) }
        #expect(starts == [7: 40])
        #expect(join.deliver(Self.event(6), "6") == "6", "the others continue")
        guard case .read(.all, _) = join.watched([7: 40]) else { return #expect(Bool(false)) }
        #expect(join.deliver(Self.event(2, partition: 7), "7-2") == nil)
        store.entries.append(.init(event: Self.event(1, partition: 7), message: []))
        guard case .begin(let beginning) = join.stored(store, at: 0) else { return #expect(Bool(false)) }
        #expect(!beginning.isFullRefresh)
        #expect(beginning.missed.map(\.event.partition) == [7])
        #expect(beginning.kept.map(\.message) == ["7-2"])
        #expect(join.partitions == [3, 7])
    }

    @Test("where the stream may have lost entries of a partition that came later, the client gets the state in full")
    func laterAfterMany() {
        var join = Self.watched()
        _ = join.stored(Self.store(upTo: 5, progress: 100), at: 0)
        var store = Self.store(upTo: 9, progress: 100, entries: 8...9)
        store.clocks[7] = Watermark(raw: Self.event(1, partition: 7))
        _ = join.look(at: store)
        _ = join.stored(store, at: 0)
        _ = join.watched([7: 0])
        guard case .read = join.stored(store, at: 0) else { return #expect(Bool(false), "it begins anew") }
        guard case .watch(let starts) = join.stored(store, at: 0) else { return #expect(Bool(false)) }
        #expect(Set(starts.keys) == [3, 7])
        _ = join.watched([3: 100, 7: 0])
        guard case .begin(let beginning) = join.stored(store, at: 0) else { return #expect(Bool(false)) }
        #expect(beginning.isFullRefresh)
    }

    @Test("a partition that comes while another one is joined is judged by the look before both")
    func twoLater() {
        var join = Self.watched()
        _ = join.stored(Self.store(upTo: 5, progress: 100), at: 0)
        var store = Self.store(upTo: 9, progress: 100)
        store.clocks[7] = Watermark(raw: Self.event(1, partition: 7))
        _ = join.look(at: store)
        // Meanwhile partition 8 writes, too, before the look at which partition 7 is joined.
        store.clocks[8] = Watermark(raw: Self.event(1, partition: 8))
        _ = join.stored(store, at: 0)
        _ = join.watched([7: 0])
        guard case .begin(let first) = join.stored(store, at: 0) else { return #expect(Bool(false)) }
        #expect(first.isExtension && join.partitions == [3, 7])
        // The stream has an entry of that look, and none from before partition 8 wrote.
        store.entries = [.init(event: Self.event(9), message: [])]
        _ = join.look(at: store)
        _ = join.stored(store, at: 0)
        _ = join.watched([8: 0])
        guard case .read = join.stored(store, at: 0) else { return #expect(Bool(false), "it begins anew") }
        #expect(join.partitions.isEmpty)
    }

    @Test("a store that cannot be asked ends a join, and only the extension of one that is done")
    func away() {
        var join = Self.watched()
        guard case .storeBehind = join.storeFailed() else { return #expect(Bool(false)) }
        join = Self.watched()
        _ = join.stored(Self.store(upTo: 5, progress: 100), at: 0)
        _ = join.look(
            at: StoredChannel(clocks: [3: Watermark(raw: Self.event(5)), 7: Watermark()]))
        guard case .wait = join.storeFailed() else { return #expect(Bool(false)) }
        #expect(join.deliver(Self.event(6), "6") == "6")
    }
}
