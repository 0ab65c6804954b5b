import Domain

/// Join of a channel's stored state with its live records, without gaps or duplicates.
///
/// `position-worker` writes a channel's hash and stream in the same transaction as the stored `rider.updates` offset.
/// If a subscriber receives every record of a partition from offset X on, and the store has every record before X, then
/// the stored stream followed by the received records is complete and in order. The caller performs these steps:
///
/// 1. ``Step/read(_:afterMilliseconds:)``: read the channel to find its partitions, which contain its records.
/// 2. ``Step/watch(_:)``: start to receive their records, which are buffered. The result is each partition's X.
/// 3. Read the channel again until the store has every record before each X, usually within milliseconds.
/// 4. ``Step/joined(_:)``: send the missed events or a full snapshot, then the buffered records, then live ones.
///
/// The channel may get another partition when a driver of that partition takes over the trip, or a vehicle enters the
/// route. ``recheck(_:)`` detects this and joins the new partition while the others stay live.
///
/// A requested trip without a driver has no partition. The client receives a full snapshot of the request, and a new
/// one after each change. Once ``recheck(_:)`` finds a partition, the client receives a full snapshot of the trip.
///
/// `Message` is the message sent to the client for a record; it is only buffered and returned.
struct ChannelJoin<Message> {
    typealias Depth = ChannelLookup.Depth

    /// The action that the caller performs next.
    enum Step {
        /// Read the channel in one transaction, then call ``didRead(_:at:)`` or ``didFailToRead()``.
        case read(Depth, afterMilliseconds: Int)
        /// Pass every further record of the channel in these partitions to ``deliver(_:_:)``, and call
        /// ``didWatch(_:)``. Start at the given offset in partitions that the gateway does not read yet.
        case watch([Int32: Int64])
        /// The join is complete; send this to the client.
        case joined(InitialState)
        /// The join failed: the store does not have the channel.
        case unknown
        /// The store is unavailable or did not catch up in time, or too many records arrived meanwhile.
        case failed
        /// Do nothing until the next call.
        case wait
    }

    /// The first data that a client receives after a join.
    struct InitialState {
        /// Whether the client receives a full snapshot instead of ``missed``, which is then empty.
        var isFullSnapshot: Bool
        /// Whether this adds a new partition to a subscription that is live already.
        var addsPartition: Bool
        var stored: StoredChannel
        /// Stored entries that the client has not received.
        var missed: [StoredChannel.Entry]
        /// Records that arrived during the join and that `stored` does not contain.
        var buffered: [(event: EventID, message: Message)]
    }

    private enum Phase {
        case locating
        case watching
        /// Comparing the store with the watched offsets; `since`: time of the first comparison, in milliseconds.
        case comparing(since: Int64?)
        case live
        /// The client has the trip's request; rechecks wait for a partition.
        case requested
    }

    /// Time limit for the store to catch up with the watched offsets, in milliseconds.
    static var timeoutMilliseconds: Int64 { 10_000 }
    /// Time for which a client's cursor may be ahead of the store before it gets a full snapshot, in milliseconds.
    static var cursorAheadTimeoutMilliseconds: Int64 { 2000 }
    /// Maximum number of records buffered during a join, checked after each read of the store.
    static var maximumBuffered: Int { 4096 }

    private var cursor: ChannelCursor
    /// Stored watermarks of the last time when all partitions were joined; absent partitions had no records then.
    private var lastComplete: [Int32: Watermark] = [:]
    private var depth: Depth
    private var phase = Phase.locating
    /// The partitions being joined, with the first watched offset; `nil` until it is known.
    private var joining: [Int32: Int64?] = [:]
    /// The joined partitions, with their last delivered events.
    private var live: [Int32: Watermark] = [:]
    private var buffered: [(event: EventID, message: Message)] = []
    /// Whether new partitions are being joined while others are live.
    private var isExtending = false
    /// Fields of the request that the client has received; `nil` if it has received the trip, or nothing.
    private var request: [String: [UInt8]]?

    /// - Parameters:
    ///   - cursor: the client's cursor; empty if it has received nothing.
    ///   - needsEntries: whether a full snapshot needs all stream entries.
    init(cursor: ChannelCursor = ChannelCursor([]), needsEntries: Bool = false) {
        self.cursor = cursor
        depth = needsEntries ? .all : cursor.isEmpty ? .none : .recent
    }

    var start: Step { .read(depth, afterMilliseconds: 0) }

    /// The partitions whose records this subscriber needs.
    var partitions: Set<Int32> { Set(live.keys).union(joining.keys) }

    /// Whether the client has a trip request, so that rechecks must read the request.
    var isRequested: Bool { request != nil }
}

extension ChannelJoin {
    /// Processes the stored channel; `now` is in milliseconds of a monotonic clock.
    mutating func didRead(_ channel: StoredChannel, at now: Int64) -> Step {
        switch phase {
        case .watching, .live, .requested: return .wait
        case .locating:
            if channel.isRequest, !isExtending { return joinRequest(channel) }
            guard isExtending || !channel.watermarks.isEmpty else { return .unknown }
            return watch(channel, channel.watermarks.keys)
        case .comparing(let since):
            let since = since ?? now
            phase = .comparing(since: since)
            let unseen = channel.watermarks.keys.filter { live[$0] == nil && joining[$0] == nil }
            guard unseen.isEmpty || isExtending else { return watch(channel, unseen) }
            return compare(channel, waited: now - since)
        }
    }

    mutating func didFailToRead() -> Step { abort() }

    /// Processes the first watched offset of each partition.
    mutating func didWatch(_ offsets: [Int32: Int64]) -> Step {
        for (partition, offset) in offsets where joining[partition] != nil { joining[partition] = .some(offset) }
        guard case .watching = phase, joining.values.allSatisfy({ $0 != nil }) else { return .wait }
        phase = .comparing(since: nil)
        return .read(depth, afterMilliseconds: 0)
    }

    /// Processes a record of the channel; returns its message if the client receives it now.
    mutating func deliver(_ event: EventID, _ message: Message) -> Message? {
        if joining[event.partition] != nil {
            buffered.append((event, message))
            return nil
        }
        guard live[event.partition]?.advance(to: event) == true else { return nil }
        return message
    }

    /// Joins new partitions of the channel, and a requested trip that got a driver or has changed.
    ///
    /// Call it periodically with the stored channel. Has no effect during a join; the next recheck finds the change.
    mutating func recheck(_ channel: StoredChannel) -> Step {
        switch phase {
        case .locating, .watching, .comparing: return .wait
        case .requested: return checkForTrip(channel)
        case .live: return checkForPartitions(channel.watermarks)
        }
    }

    /// Joins again from the start, because the topic was recreated or truncated and its old offsets are invalid.
    mutating func restart() -> Step {
        (lastComplete, request) = ([:], nil)
        return beginAgain()
    }

    private mutating func checkForTrip(_ channel: StoredChannel) -> Step {
        guard channel.watermarks.isEmpty else { return watch(channel, channel.watermarks.keys) }
        return channel.isRequest && channel.fields != request ? joinRequest(channel) : .wait
    }

    /// Returns the state of a trip without a driver, to send it to the client.
    private mutating func joinRequest(_ channel: StoredChannel) -> Step {
        // The store has none of the client's events, so the trip will start with a full snapshot.
        cursor = ChannelCursor([])
        request = channel.fields
        phase = .requested
        return .joined(
            InitialState(isFullSnapshot: true, addsPartition: false, stored: channel, missed: [], buffered: []))
    }

    private mutating func checkForPartitions(_ watermarks: [Int32: Watermark]) -> Step {
        let new = watermarks.keys.filter { live[$0] == nil }
        guard !new.isEmpty else {
            lastComplete = watermarks
            return .wait
        }
        isExtending = true
        for partition in new { joining.updateValue(nil, forKey: partition) }
        depth = .all
        phase = .locating
        return .read(.none, afterMilliseconds: 0)
    }

    private mutating func watch(_ channel: StoredChannel, _ partitions: some Collection<Int32>) -> Step {
        let selected = isExtending ? partitions.filter { joining[$0] != nil } : Array(partitions)
        guard !selected.isEmpty else { return abort() }
        for partition in selected { joining.updateValue(nil, forKey: partition) }
        phase = .watching
        return .watch(Dictionary(uniqueKeysWithValues: selected.map { ($0, channel.progress[$0] ?? 0) }))
    }

    private mutating func compare(_ channel: StoredChannel, waited: Int64) -> Step {
        guard buffered.count <= Self.maximumBuffered else { return abort() }
        let isBehind = joining.contains { partition, offset in
            channel.progress[partition, default: 0] < (offset ?? .max)
        }
        let isAhead = !isExtending && cursor.isAhead(of: channel.watermarks)
        if isBehind || (isAhead && waited < Self.cursorAheadTimeoutMilliseconds) {
            guard waited < Self.timeoutMilliseconds else { return abort() }
            return .read(depth, afterMilliseconds: waited < 100 ? 10 : 50)
        }
        if isExtending { return finishExtension(channel) }
        guard !cursor.isEmpty, !isAhead else { return finish(channel, missed: [], isFullSnapshot: true) }
        if let missed = cursor.missed(of: channel.entries, writtenBy: channel.watermarks.keys) {
            return finish(channel, missed: missed, isFullSnapshot: false)
        }
        guard channel.hasAllEntries else {
            depth = .all
            return .read(.all, afterMilliseconds: 0)
        }
        return finish(channel, missed: [], isFullSnapshot: true)
    }

    /// Ends a failed join; live partitions stay live, and a request is rechecked later.
    private mutating func abort() -> Step {
        joining = [:]
        buffered = []
        if request != nil {
            phase = .requested
            return .wait
        }
        guard isExtending else { return .failed }
        isExtending = false
        phase = .live
        return .wait
    }

    /// Completes the join of new partitions.
    ///
    /// If the stream still has an entry that ``lastComplete`` covers, it has all entries of the new partitions, which
    /// are newer. Otherwise entries may be missing, and the client gets a full snapshot.
    private mutating func finishExtension(_ channel: StoredChannel) -> Step {
        let reachesBack = channel.entries.contains { entry in
            lastComplete[entry.event.partition]?.last(of: entry.event.origin).map { !entry.event.isAfter($0) } ?? false
        }
        guard reachesBack else { return beginAgain() }
        let missed = channel.entries.filter { joining[$0.event.partition] != nil }
        return finish(channel, missed: missed, isFullSnapshot: false)
    }

    private mutating func beginAgain() -> Step {
        (cursor, live, joining, buffered) = (ChannelCursor([]), [:], [:], [])
        isExtending = false
        phase = .locating
        return .read(depth, afterMilliseconds: 0)
    }

    private mutating func finish(_ channel: StoredChannel, missed: [StoredChannel.Entry], isFullSnapshot: Bool) -> Step
    {
        for partition in joining.keys { live[partition] = channel.watermarks[partition] ?? Watermark() }
        joining = [:]
        // Only if all are joined, because newer watermarks would hide that entries of an unjoined partition were lost.
        if channel.watermarks.keys.allSatisfy({ live[$0] != nil }) { lastComplete = channel.watermarks }
        let fresh = buffered.filter { live[$0.event.partition]?.advance(to: $0.event) == true }
        buffered = []
        request = nil
        defer {
            isExtending = false
            phase = .live
        }
        return .joined(
            InitialState(
                isFullSnapshot: isFullSnapshot, addsPartition: isExtending, stored: channel, missed: missed,
                buffered: fresh
            ))
    }
}
