import Gateways
import Model
import Testing

@Suite("The steps of joining a trip that was requested")
struct RequestedTripJoinTests {
    private typealias Join = ChannelJoin<String>

    private static func event(_ offset: Int64) -> EventID { EventID(partition: 3, offset: offset) }

    private static func request(_ state: String = "REQUESTED", at time: Int64 = 1) -> StoredChannel {
        StoredChannel(fields: ["state": Array(state.utf8), "updated_at": Array("\(time)".utf8)])
    }

    /// The trip with its events up to `last`; `rider.updates` is stored up to `progress`.
    private static func trip(upTo last: Int64, progress: Int64) -> StoredChannel {
        StoredChannel(
            clocks: [3: Watermark(raw: event(last))], progress: [3: progress],
            entries: (1...last).map { .init(event: event($0), message: []) }, hasAllEntries: true,
            fields: ["state": Array("ACCEPTED".utf8)])
    }

    /// A join whose client was told of the request.
    private static func told(_ cursor: ChannelCursor = ChannelCursor([])) -> Join {
        var join = Join(cursor: cursor)
        _ = join.stored(request(), at: 0)
        return join
    }

    @Test("begin with the request as the state in full, also for a client that has had events")
    func begin() {
        for cursor in [ChannelCursor([]), ChannelCursor([Self.event(7)])] {
            var join = Join(cursor: cursor)
            #expect(!join.isRequested)
            guard case .begin(let beginning) = join.stored(Self.request(), at: 0) else {
                return #expect(Bool(false), "the client is told")
            }
            #expect(beginning.isFullRefresh && !beginning.isExtension && beginning.stored.isRequest)
            #expect(beginning.missed.isEmpty && beginning.kept.isEmpty)
            #expect(join.isRequested && join.partitions.isEmpty)
        }
    }

    @Test("tell a change of the request once, at the next look")
    func change() {
        var join = Self.told()
        guard case .wait = join.look(at: Self.request()) else { return #expect(Bool(false), "nothing has changed") }
        guard case .begin(let beginning) = join.look(at: Self.request("CANCELLED", at: 2)) else {
            return #expect(Bool(false), "the cancellation is told")
        }
        #expect(beginning.isFullRefresh && beginning.stored.fields["state"] == Array("CANCELLED".utf8))
        guard case .wait = join.look(at: Self.request("CANCELLED", at: 2)) else { return #expect(Bool(false)) }
    }

    @Test("wait where the request is kept no longer, or a look did not read it")
    func forgotten() {
        var join = Self.told()
        guard case .wait = join.look(at: StoredChannel()) else { return #expect(Bool(false)) }
        #expect(join.isRequested)
        guard case .wait = join.look(at: Self.request()) else { return #expect(Bool(false), "it is still the same") }
    }

    @Test("join the trip once it is there, and tell its state in full and then what came meanwhile, once")
    func trip() {
        var join = Self.told(ChannelCursor([Self.event(2)]))
        guard case .watch(let starts) = join.look(at: Self.trip(upTo: 1, progress: 10)) else {
            return #expect(Bool(false), "the trip's partition is watched")
        }
        #expect(starts == [3: 10])
        guard case .wait = join.look(at: Self.trip(upTo: 1, progress: 10)) else { return #expect(Bool(false)) }
        guard case .read(_, afterMilliseconds: 0) = join.watched([3: 12]) else { return #expect(Bool(false)) }
        for offset in Int64(2)...4 { #expect(join.deliver(Self.event(offset), "\(offset)") == nil) }
        guard case .read = join.stored(Self.trip(upTo: 1, progress: 11), at: 0) else {
            return #expect(Bool(false), "the store is behind what is watched")
        }
        guard case .begin(let beginning) = join.stored(Self.trip(upTo: 3, progress: 12), at: 1) else {
            return #expect(Bool(false), "the trip begins")
        }
        #expect(beginning.isFullRefresh && !beginning.isExtension && !beginning.stored.isRequest)
        #expect(beginning.missed.isEmpty && beginning.kept.map(\.message) == ["4"])
        #expect(!join.isRequested && join.partitions == [3])
        #expect(join.deliver(Self.event(4), "4") == nil, "it was kept")
        #expect(join.deliver(Self.event(5), "5") == "5")
    }

    @Test("go on with the request where the trip cannot be read, and join the trip at a later look")
    func away() {
        for fails in [true, false] {
            var join = Self.told()
            _ = join.look(at: Self.trip(upTo: 1, progress: 10))
            _ = join.watched([3: 12])
            _ = join.deliver(Self.event(2), "2")
            let behind = Self.trip(upTo: 1, progress: 11)
            if !fails { _ = join.stored(behind, at: 0) }
            let step = fails ? join.storeFailed() : join.stored(behind, at: Join.patienceMilliseconds)
            guard case .wait = step else { return #expect(Bool(false), "the subscription stays") }
            #expect(join.isRequested && join.partitions.isEmpty)
            #expect(join.deliver(Self.event(3), "3") == nil, "the state in full will tell it")
            _ = join.look(at: Self.trip(upTo: 3, progress: 13))
            _ = join.watched([3: 13])
            guard case .begin(let beginning) = join.stored(Self.trip(upTo: 3, progress: 13), at: 20_000) else {
                return #expect(Bool(false), "the trip begins")
            }
            #expect(beginning.isFullRefresh && beginning.kept.isEmpty)
            #expect(join.deliver(Self.event(4), "4") == "4")
        }
    }

    @Test("end with an error only where the store could not be asked at all")
    func unasked() {
        var join = Join()
        guard case .storeBehind = join.storeFailed() else { return #expect(Bool(false)) }
    }

    @Test("a cursor of a channel that no partition has written gets the state in full")
    func cursor() {
        #expect(ChannelCursor([Self.event(1)]).missed(of: [], writtenBy: [Int32]()) == nil)
        #expect(ChannelCursor([]).missed(of: [], writtenBy: [Int32]()) == nil)
    }
}
