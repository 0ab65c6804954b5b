import Model

/// Joins what the store has of a channel with what arrives of it, without a gap and without a repetition.
///
/// `position-worker` writes a channel's hash and stream in the transaction that also writes how far `rider.updates` is
/// stored. So if every record from the offset X on reaches a subscriber, and the store has everything before X, then
/// the stream followed by those records is the channel, in order. The steps, each answered by one call:
///
/// 1. ``Step/read(_:afterMilliseconds:)`` the channel, to learn its partitions.
/// 2. ``Step/watch(_:)`` them; the answer is each one's X, and records that come from then on are kept here.
/// 3. Read the channel again, until the store has everything before each X. It is behind by as long as
///    `position-worker` takes, usually milliseconds.
/// 4. ``Step/begin(_:)``: the client gets what it missed, or the present state, then what was kept, then what comes.
///
/// A channel may be written by another partition later: a trip is taken over by a driver of another one, a route gets
/// another vehicle. ``look(at:)`` notices that and joins the partition in the same way, while the others continue.
///
/// A trip that was requested and has no driver is written by no partition. The client gets its request as the state in
/// full, each time it changes. Once ``look(at:)`` finds the trip, it is joined, and the client gets its state in full.
///
/// `Message` is what is sent to the client for a record; it is only kept and handed back.
package struct ChannelJoin<Message> {
    /// How much of a channel's stream is needed.
    package enum Depth: Int, Comparable, Sendable {
        case none
        /// Some of the newest entries: clients that lost their connection for a moment miss few.
        case recent
        case all

        package static func < (left: Depth, right: Depth) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is to be done next.
    package enum Step {
        /// Read the channel, in one transaction, and call ``stored(_:at:)``.
        case read(Depth, afterMilliseconds: Int)
        /// Have every record of these partitions from now on go to ``deliver(_:_:)``, and call ``watched(_:)``; the
        /// offsets are where to begin with a partition that is not read yet.
        case watch([Int32: Int64])
        /// The join is done: the client gets this.
        case begin(Beginning)
        /// The store does not know the channel.
        case unknown
        /// The store did not catch up in time, or too much came meanwhile.
        case storeBehind
        /// Nothing: another answer is awaited, or the next look.
        case wait
    }

    /// What a client gets at first.
    package struct Beginning {
        /// What came before is told by the channel's state in full, and not by ``missed``.
        package var isFullRefresh: Bool
        /// Whether the client has begun before, and gets what a partition that came later has.
        package var isExtension: Bool
        package var stored: StoredChannel
        /// Entries of the store that the client has not had.
        package var missed: [StoredChannel.Entry]
        /// Records that came while the store was read, and that it did not have yet.
        package var kept: [(event: EventID, message: Message)]
    }

    private enum Phase {
        case locating
        case watching
        /// Since the time in milliseconds.
        case comparing(since: Int64?)
        case live
        /// The client was told the trip's request; a look finds the trip.
        case requested
    }

    /// How long the store may take to catch up, in milliseconds.
    package static var patienceMilliseconds: Int64 { 10_000 }
    /// How long a client's cursor may be ahead of the store before it gets its state in full.
    static var aheadMilliseconds: Int64 { 2000 }
    /// How many records are kept at most while the store is read.
    package static var maximumKept: Int { 4096 }

    private var cursor: ChannelCursor
    /// What the store had at the last look at which every partition was joined; those that are not in it had written
    /// nothing by then.
    private var looked: [Int32: Watermark] = [:]
    private var depth: Depth
    private var phase = Phase.locating
    /// The partitions that are being joined, with the offsets from which their records come; `nil` until it is known.
    private var joining: [Int32: Int64?] = [:]
    private var live: [Int32: Watermark] = [:]
    private var kept: [(event: EventID, message: Message)] = []
    /// Whether this is the join of partitions that came later.
    private var isExtending = false
    /// The request of which the client was told; `nil` where it was told of the trip itself, or of nothing.
    private var request: [String: [UInt8]]?

    /// A subscription that has yet to be joined.
    ///
    /// - Parameters:
    ///   - cursor: what the client has had; empty for nothing.
    ///   - needsEntries: whether the state in full takes the stream, too.
    package init(cursor: ChannelCursor = ChannelCursor([]), needsEntries: Bool = false) {
        self.cursor = cursor
        depth = needsEntries ? .all : cursor.isEmpty ? .none : .recent
    }

    /// The first step.
    package var start: Step { .read(depth, afterMilliseconds: 0) }

    /// The partitions whose records are to reach this subscriber.
    package var partitions: Set<Int32> { Set(live.keys).union(joining.keys) }

    /// Whether the client was told of a request, so that looks need it.
    package var isRequested: Bool { request != nil }
}

extension ChannelJoin {
    /// Takes in what the store says at `now`, in milliseconds of a clock that only goes forward.
    package mutating func stored(_ channel: StoredChannel, at now: Int64) -> Step {
        switch phase {
        case .watching, .live, .requested: return .wait
        case .locating:
            if channel.isRequest, !isExtending { return tell(ofRequest: channel) }
            guard isExtending || !channel.clocks.isEmpty else { return .unknown }
            return watch(channel, channel.clocks.keys)
        case .comparing(let since):
            let since = since ?? now
            phase = .comparing(since: since)
            let unseen = channel.clocks.keys.filter { live[$0] == nil && joining[$0] == nil }
            guard unseen.isEmpty || isExtending else { return watch(channel, unseen) }
            return compare(channel, waited: now - since)
        }
    }

    /// Takes in that the store could not be asked.
    package mutating func storeFailed() -> Step { giveUp() }

    /// Takes in from which offset on the records of each partition come.
    package mutating func watched(_ offsets: [Int32: Int64]) -> Step {
        for (partition, offset) in offsets where joining[partition] != nil { joining[partition] = .some(offset) }
        guard case .watching = phase, joining.values.allSatisfy({ $0 != nil }) else { return .wait }
        phase = .comparing(since: nil)
        return .read(depth, afterMilliseconds: 0)
    }

    /// Takes in a record of the channel; returns its message where the client gets it now.
    package mutating func deliver(_ event: EventID, _ message: Message) -> Message? {
        if joining[event.partition] != nil {
            kept.append((event, message))
            return nil
        }
        guard live[event.partition]?.advance(to: event) == true else { return nil }
        return message
    }

    /// Joins partitions that have come to write the channel, by a look at what the store has now and then.
    ///
    /// Also a trip that was requested, and tells of a change of the request. Does nothing while a join is under way: the
    /// next look finds them again.
    package mutating func look(at channel: StoredChannel) -> Step {
        switch phase {
        case .locating, .watching, .comparing: return .wait
        case .requested: return lookForTrip(channel)
        case .live: return lookForPartitions(channel.clocks)
        }
    }

    /// Starts over after a partition's offsets and events have begun again: those that are known name nothing any more.
    package mutating func restart() -> Step {
        (looked, request) = ([:], nil)
        return startOver()
    }

    private mutating func lookForTrip(_ channel: StoredChannel) -> Step {
        guard channel.clocks.isEmpty else { return watch(channel, channel.clocks.keys) }
        return channel.isRequest && channel.fields != request ? tell(ofRequest: channel) : .wait
    }

    /// Has the client told of a trip that has no driver.
    private mutating func tell(ofRequest channel: StoredChannel) -> Step {
        // What the client had before is not of this trip: it gets the trip's state in full.
        cursor = ChannelCursor([])
        request = channel.fields
        phase = .requested
        return .begin(
            Beginning(isFullRefresh: true, isExtension: false, stored: channel, missed: [], kept: []))
    }

    private mutating func lookForPartitions(_ clocks: [Int32: Watermark]) -> Step {
        let new = clocks.keys.filter { live[$0] == nil }
        guard !new.isEmpty else {
            looked = clocks
            return .wait
        }
        isExtending = true
        for partition in new { joining.updateValue(nil, forKey: partition) }
        depth = .all
        phase = .locating
        return .read(.none, afterMilliseconds: 0)
    }

    private mutating func watch(_ channel: StoredChannel, _ partitions: some Collection<Int32>) -> Step {
        let wanted = isExtending ? partitions.filter { joining[$0] != nil } : Array(partitions)
        guard !wanted.isEmpty else { return giveUp() }
        for partition in wanted { joining.updateValue(nil, forKey: partition) }
        phase = .watching
        return .watch(Dictionary(uniqueKeysWithValues: wanted.map { ($0, channel.progress[$0] ?? 0) }))
    }

    private mutating func compare(_ channel: StoredChannel, waited: Int64) -> Step {
        guard kept.count <= Self.maximumKept else { return giveUp() }
        let isBehind = joining.contains { partition, offset in
            channel.progress[partition, default: 0] < (offset ?? .max)
        }
        let isAhead = !isExtending && cursor.isAhead(of: channel.clocks)
        if isBehind || (isAhead && waited < Self.aheadMilliseconds) {
            guard waited < Self.patienceMilliseconds else { return giveUp() }
            return .read(depth, afterMilliseconds: waited < 100 ? 10 : 50)
        }
        if isExtending { return finishExtension(channel) }
        guard !cursor.isEmpty, !isAhead else { return finish(channel, missed: [], isFullRefresh: true) }
        if let missed = cursor.missed(of: channel.entries, writtenBy: channel.clocks.keys) {
            return finish(channel, missed: missed, isFullRefresh: false)
        }
        guard channel.hasAllEntries else {
            depth = .all
            return .read(.all, afterMilliseconds: 0)
        }
        return finish(channel, missed: [], isFullRefresh: true)
    }

    /// Ends a join that takes too long; partitions that are joined already stay so, and a request is looked at again.
    private mutating func giveUp() -> Step {
        joining = [:]
        kept = []
        if request != nil {
            phase = .requested
            return .wait
        }
        guard isExtending else { return .storeBehind }
        isExtending = false
        phase = .live
        return .wait
    }

    /// Ends the join of partitions that came later.
    ///
    /// If the stream still has an entry of the last look, it has all that these partitions have written since. If not,
    /// some may be gone, and the client gets its state in full.
    private mutating func finishExtension(_ channel: StoredChannel) -> Step {
        let reachesBack = channel.entries.contains { entry in
            looked[entry.event.partition]?.last(of: entry.event.origin).map { !entry.event.isAfter($0) } ?? false
        }
        guard reachesBack else { return startOver() }
        let missed = channel.entries.filter { joining[$0.event.partition] != nil }
        return finish(channel, missed: missed, isFullRefresh: false)
    }

    private mutating func startOver() -> Step {
        (cursor, live, joining, kept) = (ChannelCursor([]), [:], [:], [])
        isExtending = false
        phase = .locating
        return .read(depth, afterMilliseconds: 0)
    }

    private mutating func finish(
        _ channel: StoredChannel, missed: [StoredChannel.Entry], isFullRefresh: Bool
    ) -> Step {
        for partition in joining.keys { live[partition] = channel.clocks[partition] ?? Watermark() }
        joining = [:]
        // What a partition that is still to be joined has written counts from before its first entry: a newer look would
        // hide that the stream has lost some of it.
        if channel.clocks.keys.allSatisfy({ live[$0] != nil }) { looked = channel.clocks }
        let fresh = kept.filter { live[$0.event.partition]?.advance(to: $0.event) == true }
        kept = []
        request = nil
        defer {
            isExtending = false
            phase = .live
        }
        return .begin(
            Beginning(
                isFullRefresh: isFullRefresh, isExtension: isExtending, stored: channel, missed: missed, kept: fresh))
    }
}
