import Domain
@testable import Gateways
import Testing

@Suite("Joining a trip that was requested and has no driver yet")
struct RequestedTripJoinTests {
    private typealias Join = ChannelJoin<String>

    private static func event(_ offset: Int64) -> EventID { EventID(partition: 3, offset: offset) }

    private static func request(_ state: String = "REQUESTED", at time: Int64 = 1) -> StoredChannel {
        StoredChannel(fields: ["state": Array(state.utf8), "updated_at": Array("\(time)".utf8)])
    }

    /// Returns the stored trip with its events up to `last`; `progress` is the stored `rider.updates` offset.
    private static func trip(upTo last: Int64, progress: Int64) -> StoredChannel {
        StoredChannel(
            watermarks: [3: Watermark(raw: event(last))], progress: [3: progress],
            entries: (1...last).map { .init(event: event($0), message: []) }, hasAllEntries: true,
            fields: ["state": Array("ACCEPTED".utf8)])
    }

    /// Returns a join whose client has received the request.
    private static func requested(_ cursor: ChannelCursor = ChannelCursor([])) -> Join {
        var join = Join(cursor: cursor)
        _ = join.didRead(request(), at: 0)
        return join
    }

    @Test("a join starts with the request as a full snapshot, even if the client has received events")
    func start() throws {
        for cursor in [ChannelCursor([]), ChannelCursor([Self.event(7)])] {
            var join = Join(cursor: cursor)
            #expect(!join.isRequested)
            let initial = try #require(join.didRead(Self.request(), at: 0).initialState)
            #expect(initial.isFullSnapshot && !initial.addsPartition && initial.stored.isRequest)
            #expect(initial.missed.isEmpty && initial.buffered.isEmpty)
            #expect(join.isRequested && join.partitions.isEmpty)
        }
    }

    @Test("a change of the request is sent once, at the next recheck")
    func change() throws {
        var join = Self.requested()
        #expect(join.recheck(Self.request()).isWait)
        let initial = try #require(join.recheck(Self.request("CANCELLED", at: 2)).initialState)
        #expect(initial.isFullSnapshot && initial.stored.fields["state"] == Array("CANCELLED".utf8))
        #expect(join.recheck(Self.request("CANCELLED", at: 2)).isWait)
    }

    @Test("a join waits after the request has expired, and keeps the request")
    func expired() {
        var join = Self.requested()
        #expect(join.recheck(StoredChannel()).isWait)
        #expect(join.isRequested)
        #expect(join.recheck(Self.request()).isWait, "the request is unchanged")
    }

    @Test("when the trip has a partition, the client receives a full snapshot, then each newer record once")
    func trip() throws {
        var join = Self.requested(ChannelCursor([Self.event(2)]))
        #expect(join.recheck(Self.trip(upTo: 1, progress: 10)).watchRequest == [3: 10])
        #expect(join.recheck(Self.trip(upTo: 1, progress: 10)).isWait)
        #expect(join.didWatch([3: 12]).readRequest?.delay == 0)
        for offset in Int64(2)...4 { #expect(join.deliver(Self.event(offset), "\(offset)") == nil) }
        #expect(
            join.didRead(Self.trip(upTo: 1, progress: 11), at: 0).readRequest != nil,
            "the store is behind the watched offset")
        let initial = try #require(join.didRead(Self.trip(upTo: 3, progress: 12), at: 1).initialState)
        #expect(initial.isFullSnapshot && !initial.addsPartition && !initial.stored.isRequest)
        #expect(initial.missed.isEmpty && initial.buffered.map(\.message) == ["4"])
        #expect(!join.isRequested && join.partitions == [3])
        #expect(join.deliver(Self.event(4), "4") == nil, "it was buffered")
        #expect(join.deliver(Self.event(5), "5") == "5")
    }

    @Test(
        "a join keeps the request if the trip cannot be read, and joins at a later recheck", arguments: [true, false])
    func failedJoin(readFails: Bool) throws {
        var join = Self.requested()
        _ = join.recheck(Self.trip(upTo: 1, progress: 10))
        _ = join.didWatch([3: 12])
        _ = join.deliver(Self.event(2), "2")
        let behind = Self.trip(upTo: 1, progress: 11)
        if !readFails { _ = join.didRead(behind, at: 0) }
        let step = readFails ? join.didFailToRead() : join.didRead(behind, at: Join.timeoutMilliseconds)
        #expect(step.isWait, "the subscription stays open")
        #expect(join.isRequested && join.partitions.isEmpty)
        #expect(join.deliver(Self.event(3), "3") == nil, "the snapshot will contain it")
        _ = join.recheck(Self.trip(upTo: 3, progress: 13))
        _ = join.didWatch([3: 13])
        let initial = try #require(join.didRead(Self.trip(upTo: 3, progress: 13), at: 20_000).initialState)
        #expect(initial.isFullSnapshot && initial.buffered.isEmpty)
        #expect(join.deliver(Self.event(4), "4") == "4")
    }

    @Test("the missed events of a channel without partitions are unknown for any cursor")
    func cursor() {
        #expect(ChannelCursor([Self.event(1)]).missed(of: [], writtenBy: [Int32]()) == nil)
        #expect(ChannelCursor([]).missed(of: [], writtenBy: [Int32]()) == nil)
    }
}
